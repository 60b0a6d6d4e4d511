import { createHash, timingSafeEqual } from "node:crypto"
import type { GatewayLogin, GatewayProxy } from "../GatewayProxy.ts"
import { Refusal } from "./Refusal.ts"

export type Login = typeof GatewayLogin.Type

const digest = ({ password, username }: Login) =>
  createHash("sha256").update(`${username.length}:${username}:${password}`).digest()

/** Compares with every login in constant time. */
const isLoginOf = ({ logins }: GatewayProxy, login: Login): boolean => {
  const given = digest(login)
  return logins.map((known) => timingSafeEqual(digest(known), given)).includes(true)
}

/**
 * Checks that a client may use the proxy. With a whitelist, the source address decides and no password is needed; without
 * one, the username and password decide (docs/contract.md, "Static proxies"). Undefined: the client may use it.
 */
export const authenticate = (proxy: GatewayProxy, source: string, login: Login | undefined): Refusal | undefined => {
  if (proxy.whitelist.length > 0) return proxy.whitelist.includes(source) ? undefined : Refusal.source(source)
  if (login === undefined) return Refusal.noCredentials
  return isLoginOf(proxy, login) ? undefined : Refusal.credentials
}

/** Checks that the proxy speaks the protocol of its client. Undefined: both speak the same protocol. */
export const speaks = (proxy: GatewayProxy, protocol: "HTTP" | "SOCKS5"): Refusal | undefined => {
  if ((proxy.protocol === "SOCKS5") === (protocol === "SOCKS5")) return undefined
  return proxy.protocol === "SOCKS5" ? Refusal.speaksSocks : Refusal.speaksHttp
}

/** Reads the login from a `Proxy-Authorization` header (RFC 7617). */
export const basicLogin = (header: string | undefined): Login | undefined => {
  const [, encoded] = /^basic +([A-Za-z0-9+/]{1,1024}={0,2})$/i.exec(header ?? "") ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, "base64").toString("utf8")
  const colon = text.indexOf(":")
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** Converts a peer address to the form of whitelists: an IPv4-mapped address becomes IPv4. */
export const sourceAddress = (remote: string | undefined): string => (remote ?? "").replace(/^::ffff:(?=[\d.]+$)/, "")
