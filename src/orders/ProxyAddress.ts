import type { Order } from "./Order.ts"

type Access = Pick<Order, "host" | "port" | "username" | "password" | "protocol">

/** The URL of a proxy with its login, for programs; undefined before it has one. */
export const addressOf = ({ host, password, port, protocol, username }: Access): string | undefined =>
  host === null || port === null || username === null || password === null
    ? undefined
    : `${protocol.toLowerCase()}://${encodeURIComponent(username)}:${encodeURIComponent(password)}@${host}:${port}`
