import { Context, DateTime, Effect, Layer } from "effect"
import { Blocklists } from "../../src/ip-check/blocklists/Blocklists.ts"
import type { HeldListing } from "../../src/ip-check/signals/Listing.ts"

const held = {
  memory_block: { claim: "blocklist", signal: null, synced_at: DateTime.makeUnsafe("2026-01-01T00:00:00Z") },
  memory_tor: { claim: "tor_exit", signal: "tor", synced_at: null },
  memory_vpn: { claim: null, signal: "vpn", synced_at: DateTime.makeUnsafe("2026-01-01T00:00:00Z") }
} as const
type Source = keyof typeof held

/** Lists in memory: one is not loaded, one makes no claim. No address is listed until a test lists it. */
const make = () => {
  const listed = new Set<string>()
  const unloaded = new Set<Source>()
  const sources: ReadonlyArray<Source> = ["memory_block", "memory_tor", "memory_vpn"]
  const listing = (source: Source, ip: string): HeldListing => {
    const isListed = listed.has(`${source} ${ip}`)
    const network = isListed ? `${ip}/${ip.includes(":") ? 128 : 32}` : null
    const synced_at = unloaded.has(source) ? null : held[source].synced_at
    return { source, label: source, attribution: `By ${source}`, ...held[source], synced_at, listed: isListed, network }
  }

  return {
    blocklists: { listings: (ip: string) => sources.map((source) => listing(source, ip)) },
    list: (source: Source, ip: string) => void listed.add(`${source} ${ip}`),
    setLoaded: (source: Source, isLoaded: boolean) => void (isLoaded ? unloaded.delete(source) : unloaded.add(source))
  }
}

export class MemoryBlocklists extends Context.Service<MemoryBlocklists, ReturnType<typeof make>>()(
  "test/MemoryBlocklists"
) {
  /** The lists, and a `Blocklists` of these lists only. */
  static readonly layer = Layer.effectContext(
    Effect.sync(() => {
      const memory = make()
      return Context.make(MemoryBlocklists, memory).pipe(Context.add(Blocklists, memory.blocklists))
    })
  )
}
