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

/** The URL of a proxy with its login, for programs; undefined before it has one. */
export const addressOf = ({ host, password, port, protocol, username }: Access): string | undefined =>
  host === null || port === null || username === null || password === null
    ? undefined
    : `${protocol.toLowerCase()}://${encoded(username)}:${encoded(password)}@${hostOf(host)}:${port}`
