import { Config, Effect, Layer, Schedule } from "effect"
import * as Failure from "../platform/errors/Failure.ts"
import { integer } from "../platform/settings/IntegerSetting.ts"
import * as Job from "../platform/Job.ts"
import { Providers } from "../provider/Providers.ts"
import type { ProviderOffer, ProxyProvider } from "../provider/ProxyProvider.ts"
import { Catalog } from "./Catalog.ts"
import { CatalogWriter } from "./CatalogWriter.ts"

const timeout = "30 seconds"
const concurrency = 4

const syncProvider = Effect.fn("CatalogSync.syncProvider")(
  function* (provider: ProxyProvider) {
    const writer = yield* CatalogWriter
    const offers = Effect.timeout(provider.offers, timeout)
    const write = (offers: ReadonlyArray<ProviderOffer>) => writer.replace(provider, offers)
    // The transaction reads own offers, so that a sale that ends their stock comes before or after both.
    if (provider.isOwn === true) return yield* writer.changing(Effect.flatMap(offers, write), { fills: true })
    yield* writer.changing(write(yield* offers))
  },
  (effect, { name }) =>
    Effect.catchCause(effect, (cause) =>
      Effect.logWarning(...Failure.logLine(`Cannot sync provider ${name}; its last offers stay`, cause))
    )
)

/** Writes the providers' offers to the catalog. A provider that fails keeps its last offers. */
export const run = Effect.gen(function* () {
  const providers = yield* Providers
  const writer = yield* CatalogWriter
  const catalog = yield* Catalog
  yield* writer.changing(writer.unlistOthers(providers.all.map(({ name }) => name)))
  yield* Effect.forEach(providers.all, syncProvider, { concurrency, discard: true })
  yield* catalog.refresh
})

/**
 * Syncs a provider when an offer runs out of stock or comes back, so that the catalog shows it before the next round; and
 * once when the catalog shows another stock, because a command has changed the shop.
 */
const makeRestocking = Effect.gen(function* () {
  const providers = yield* Providers
  const catalog = yield* Catalog
  const had = new Map<string, string>()
  return Effect.gen(function* () {
    for (const { name, stock, ...provider } of providers.all) {
      if (stock === undefined) continue
      const counted = [...(yield* stock.count)].flatMap(([id, left]) => (left > 0 ? id : [])).toSorted()
      const has = Effect.map(catalog.inStock(name), (shown) => `${counted.join()} ${shown.toSorted().join()}`)
      if (had.get(name) === (yield* has)) continue
      yield* syncProvider({ ...provider, name, stock })
      yield* catalog.refresh
      had.set(name, yield* has)
    }
  })
})

const Seconds = integer("CATALOG_SYNC_SECONDS", 1, 86_400).pipe(Config.withDefault(300))

/** Syncs immediately, then every `CATALOG_SYNC_SECONDS`, and within a second when a stock runs out or comes back. */
export const layerNoDeps = Layer.unwrap(
  Effect.gen(function* () {
    const seconds = yield* Seconds
    return Layer.merge(
      Job.layer("CatalogSync", Schedule.concat(Schedule.once, Schedule.spaced(seconds * 1000)), run),
      Job.layer("CatalogStock", Schedule.spaced("1 second"), yield* makeRestocking)
    )
  })
)

/** Fills an empty catalog before the service answers requests. */
const first = Layer.effectDiscard(
  Effect.gen(function* () {
    const catalog = yield* Catalog
    if (!(yield* catalog.filled)) yield* Effect.timeoutOption(run, "5 seconds")
  })
)

export const layer = Layer.provide(layerNoDeps, first).pipe(Layer.provide(CatalogWriter.layer))
