import { Effect, Result } from "effect"
import { NetAddress } from "effect/net"
import { isIP } from "node:net"
import { canonical, interfaceAddresses } from "../platform/outbound/OwnAddresses.ts"
import { isPublic } from "../platform/outbound/PublicAddress.ts"
import { GatewayExitAddresses } from "./GatewayConfig.ts"
import type { GatewayProxy } from "./GatewayProxy.ts"

const familyOf = (ip: string) => (isIP(ip) === 6 ? "IPv6" : "IPv4")

/** Whether traffic from an interface's address may reach the internet: as it is, or behind a NAT that only IPv4 has. */
const leadsOut = (ip: string) =>
  Result.match(NetAddress.ipFromString(ip), {
    onFailure: () => false,
    onSuccess: (address) => isPublic(address) || (isIP(ip) === 4 && !ip.startsWith("127."))
  })

/**
 * The address a proxy without an exit address leaves from, as well as this machine can know: the one customers
 * connect to, where that is an address; else an interface's. A NAT in between may show destinations another one.
 */
export const ownAddress = (
  host: string,
  ip_version: GatewayProxy["ip_version"],
  interfaces = interfaceAddresses()
): string | null => {
  const addresses = [...(isIP(host) === 0 ? [] : [host]), ...interfaces].filter(leadsOut)
  const own = addresses.find((ip) => familyOf(ip) === ip_version) ?? addresses[0]
  return own ?? (isIP(host) === 0 ? null : host)
}

/** Exit addresses that no interface holds would only be found out by the customers who were given them. */
export const warnOfMissingExits = Effect.gen(function* () {
  const held = new Set(interfaceAddresses().map(canonical))
  const exits = (yield* GatewayExitAddresses).map(({ ip }) => canonical(ip))
  const missing = exits.filter((ip) => !held.has(ip) && !ip.startsWith("127."))
  if (missing.length > 0)
    yield* Effect.logWarning(
      `GATEWAY_EXIT_IPS: this machine does not hold ${missing.join(", ")}; proxies that leave by them do not work here`
    )
})
