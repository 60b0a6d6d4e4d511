import { createHash, timingSafeEqual } from "node:crypto"
import type { GatewayLogin, GatewayProxy } from "../GatewayProxy.ts"
import { Refusal } from "./Refusal.ts"

export type Login = typeof GatewayLogin.Type

const digest = ({ password, username }: Login) =>
  createHash("sha256").update(`${username.length}:${username}:${password}`).digest()

/** Compares with every login, in the same time whichever it is. */
const isLoginOf = ({ logins }: GatewayProxy, login: Login): boolean => {
  const given = digest(login)
  return logins.map((known) => timingSafeEqual(digest(known), given)).includes(true)
}

/**
 * Whether the client is who may use the proxy. With a whitelist its source address decides and no
 * password is needed; without, a username and its password do (specification section 4.4).
 */
export const authenticate = (proxy: GatewayProxy, source: string, login: Login | undefined): Refusal | undefined => {
  if (proxy.whitelist.length > 0) return proxy.whitelist.includes(source) ? undefined : Refusal.source(source)
  return login !== undefined && isLoginOf(proxy, login) ? undefined : Refusal.credentials
}

/** Whether the proxy speaks the protocol its client speaks. */
export const speaks = (proxy: GatewayProxy, protocol: "HTTP" | "SOCKS5"): Refusal | undefined => {
  if ((proxy.protocol === "SOCKS5") === (protocol === "SOCKS5")) return undefined
  return proxy.protocol === "SOCKS5" ? Refusal.speaksSocks : Refusal.speaksHttp
}

/** What a `Proxy-Authorization` header carries (RFC 7617). */
export const basicLogin = (header: string | undefined): Login | undefined => {
  const [, encoded] = /^basic +([A-Za-z0-9+/]{1,1024}={0,2})$/i.exec(header ?? "") ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, "base64").toString("utf8")
  const colon = text.indexOf(":")
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** A peer address as whitelists are written: IPv4 on a dual-stack socket is IPv4. */
export const sourceAddress = (remote: string | undefined): string => (remote ?? "").replace(/^::ffff:(?=[\d.]+$)/, "")
