import type { Order } from "./Order.ts"

type Access = Pick<Order, "host" | "port" | "username" | "password" | "protocol">

/**
 * Encodes every character but letters, digits and `-._~`, so that the URL can stand between quotes of any kind in a shell or
 * a program. `encodeURIComponent` leaves the apostrophe and others.
 */
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** A host is a name or an address; an IPv6 address has brackets. */
const hostOf = (host: string) => host.replace(/[^\w.:[\]-]/gu, encoded)

/** The scheme of a proxy's URL. `HTTPS` proxies speak HTTP with `CONNECT` and no TLS, so `https://` would fail. */
export const schemeOf = ({ protocol }: Pick<Order, "protocol">): "http" | "socks5" =>
  protocol === "SOCKS5" ? "socks5" : "http"

/** The URL of a proxy with its login, for programs; undefined before it has one. */
export const addressOf = (access: Access): string | undefined => {
  const { host, password, port, username } = access
  if (host === null || port === null || username === null || password === null) return undefined
  return `${schemeOf(access)}://${encoded(username)}:${encoded(password)}@${hostOf(host)}:${port}`
}
