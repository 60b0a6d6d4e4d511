import { Effect, Result } from "effect"
import { NetAddress } from "effect/net"
import { isIP } from "node:net"
import { networkInterfaces } from "node:os"
import { canonicalText } from "./PublicAddress.ts"
import type { Resolve } from "./NameResolution.ts"

const refreshMillis = 30_000

export const interfaceAddresses = (): ReadonlyArray<string> =>
  Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? [])

/** Writes an address in its canonical form; returns any other text unchanged. */
export const canonical = (text: string): string =>
  Result.match(NetAddress.ipFromString(text), { onFailure: () => text, onSuccess: canonicalText })

interface Known {
  /** An address or a name of this machine, which may be behind a NAT. */
  readonly host: string
  /** Further addresses of this machine. */
  readonly addresses?: () => ReadonlyArray<string>
  readonly resolve: Resolve
}

/**
 * Makes a predicate that is true when a canonical address leads back to this machine. Such a connection would bypass
 * the firewall, and reach a database that listens everywhere or the gateway's own ports.
 */
export const makeIsOwn = Effect.fnUntraced(function* ({ addresses = () => [], host, resolve }: Known) {
  const gather = (ofHost: ReadonlyArray<string>) =>
    new Set([...interfaceAddresses(), ...addresses(), ...ofHost].map(canonical))
  let ofHost: ReadonlyArray<string> = [host]
  let own = gather(ofHost)

  // Keeps the last result while DNS does not answer, or while the machine has no free file to list its interfaces.
  const refresh = async () => {
    const resolved = isIP(host) === 0 ? await resolve(host).catch(() => []) : []
    if (resolved.length > 0) ofHost = resolved
    own = gather(ofHost)
  }
  const tryToRefresh = () => void refresh().catch(() => undefined)
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      tryToRefresh()
      return setInterval(tryToRefresh, refreshMillis)
    }),
    (timer) => Effect.sync(() => clearInterval(timer))
  )

  return (ip: string) => own.has(ip)
})
