import dns from "node:dns"
import { isIP } from "node:net"

/**
 * Preloaded with `node --import`: the names in `LOCAL_NAMES` lead to this machine, and no other name is looked up. A real
 * process then believes that it talks to servers elsewhere.
 */
const own = new Set((process.env["LOCAL_NAMES"] ?? "").split(","))
const { lookup } = dns
const addressOf = (name: string) => (own.has(name) ? "127.0.0.1" : `${name}.invalid`)
const lookupOwn = (name: string, ...rest: ReadonlyArray<unknown>) =>
  Reflect.apply(lookup, dns, [isIP(name) === 0 ? addressOf(name) : name, ...rest])
Object.assign(dns, { lookup: lookupOwn })
