import type { Order } from "./Order.ts"

type Access = Pick<Order, "host" | "port" | "username" | "password" | "protocol">

/** The scheme of a proxy's URL. `HTTPS` proxies speak HTTP with `CONNECT` and no TLS, so `https://` would fail. */
export const schemeOf = ({ protocol }: Pick<Order, "protocol">): "http" | "socks5" =>
  protocol === "SOCKS5" ? "socks5" : "http"

/** The URL of a proxy with its login, for programs; undefined before it has one. */
export const addressOf = (access: Access): string | undefined => {
  const { host, password, port, username } = access
  if (host === null || port === null || username === null || password === null) return undefined
  return `${schemeOf(access)}://${encodeURIComponent(username)}:${encodeURIComponent(password)}@${host}:${port}`
}
