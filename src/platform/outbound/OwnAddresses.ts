import { Effect, Result } from "effect"
import { NetAddress } from "effect/net"
import { isIP } from "node:net"
import { networkInterfaces } from "node:os"
import { canonicalText } from "./PublicAddress.ts"

const refreshMillis = 30_000

export const interfaceAddresses = (): ReadonlyArray<string> =>
  Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? [])

/** The one way an address is written; what is none stays as it is. */
export const canonical = (text: string): string =>
  Result.match(NetAddress.ipFromString(text), { onFailure: () => text, onSuccess: canonicalText })

interface Known {
  /** An address or a name; it counts too, as it may be this machine behind a NAT. */
  readonly host: string
  /** Further addresses that lead here. */
  readonly addresses?: ReadonlyArray<string>
  /** Every address of a name. */
  readonly resolve: (name: string) => Promise<ReadonlyArray<string>>
}

/**
 * Answers whether a canonical address leads back to this machine, past its firewall: to a database that listens
 * everywhere, or to the gateway's own ports.
 */
export const makeIsOwn = Effect.fnUntraced(function* ({ addresses = [], host, resolve }: Known) {
  const gather = (ofHost: ReadonlyArray<string>) =>
    new Set([...interfaceAddresses(), ...addresses, ...ofHost].map(canonical))
  let ofHost: ReadonlyArray<string> = [host]
  let own = gather(ofHost)

  // What was last known holds while DNS does not answer, or the machine: it lists no interfaces without a free file.
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
