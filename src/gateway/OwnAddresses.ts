import { Effect, Result } from "effect"
import { NetAddress } from "effect/net"
import { isIP } from "node:net"
import { networkInterfaces } from "node:os"
import { canonicalText, isPublic } from "../platform/PublicAddress.ts"
import type { DialOptions } from "./Destination.ts"
import { GatewayExitAddresses, GatewayHost } from "./GatewayConfig.ts"
import type { GatewayProxy } from "./GatewayProxy.ts"

const refreshInterval = "30 seconds"

export const interfaceAddresses = (): ReadonlyArray<string> =>
  Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? [])

const canonical = (text: string) =>
  Result.match(NetAddress.ipFromString(text), { onFailure: () => text, onSuccess: canonicalText })

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

/**
 * Answers whether an address leads back to this machine, past its firewall: to a database that listens
 * everywhere, or to the gateway's own ports. The host counts too: it may be this machine behind a NAT.
 */
export const makeIsOwn = Effect.fnUntraced(function* (resolve: DialOptions["resolve"]) {
  const host = yield* GatewayHost
  const exits = (yield* GatewayExitAddresses).map(({ ip }) => ip)
  const gather = (ofHost: ReadonlyArray<string>) =>
    new Set([...interfaceAddresses(), ...exits, ...ofHost].map(canonical))
  let ofHost: ReadonlyArray<string> = [host]
  let own = gather(ofHost)

  const refresh = Effect.gen(function* () {
    const resolved = isIP(host) === 0 ? yield* Effect.promise(() => resolve(host)) : []
    // While DNS does not answer, what it last said holds.
    if (resolved.length > 0) ofHost = resolved
    own = gather(ofHost)
  })
  yield* refresh.pipe(Effect.andThen(Effect.sleep(refreshInterval)), Effect.forever, Effect.forkScoped)

  return (ip: string) => own.has(ip)
})
