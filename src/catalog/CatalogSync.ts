import { Config, Effect, Layer, Result, Schedule, Schema } from "effect"
import { Atomically } from "../platform/postgres/Atomically.ts"
import * as Failure from "../platform/errors/Failure.ts"
import { integer } from "../platform/settings/IntegerSetting.ts"
import * as Job from "../platform/Job.ts"
import { Providers } from "../provider/Providers.ts"
import type { ProviderOffer, ProxyProvider } from "../provider/ProxyProvider.ts"
import { Catalog } from "./Catalog.ts"
import { CatalogSyncRepo } from "./CatalogSyncRepo.ts"
import { OfferTerms } from "./Offer.ts"

const timeout = "30 seconds"
const concurrency = 4
const maxOffers = 10_000

const validate = Schema.encodeResult(OfferTerms)

/** Validates an offer. Only ISP offers (kind `residential`) keep their locations (docs/contract.md, "Catalog"). */
const terms = (offer: ProviderOffer) => {
  const ours = { ...offer, locations: offer.kind === "residential" ? offer.locations : [] }
  return Result.map(validate(ours), () => ours)
}

/** Keeps the valid offers, each once, and logs the ones that it leaves out. */
const sellable = Effect.fnUntraced(function* (provider: string, offers: ReadonlyArray<ProviderOffer>) {
  const found = new Map<string, OfferTerms>()
  for (const offer of offers.slice(0, maxOffers)) {
    const result = terms(offer)
    if (Result.isSuccess(result) && !found.has(offer.external_id)) found.set(offer.external_id, result.success)
    else
      yield* Effect.logWarning(
        `Cannot sell offer ${offer.external_id} of ${provider}`,
        Result.isSuccess(result) ? "the provider lists it twice" : result.failure
      )
  }
  if (offers.length > maxOffers)
    yield* Effect.logWarning(`${provider} lists ${offers.length} offers; the catalog takes the first ${maxOffers}`)
  return [...found.values()]
})

/** Runs `change` in a transaction, and raises the catalog version if it changed offers. */
const changing = Effect.fnUntraced(function* (change: Effect.Effect<number>) {
  const repo = yield* CatalogSyncRepo
  const atomically = yield* Atomically
  yield* Effect.gen(function* () {
    yield* repo.lock
    const changed = yield* change
    if (changed === 0) return
    yield* repo.raiseVersion
    yield* Effect.logInfo(`The catalog changed: ${changed} offers`)
  }).pipe(atomically)
})

const syncProvider = Effect.fn("CatalogSync.syncProvider")(
  function* (provider: ProxyProvider) {
    const repo = yield* CatalogSyncRepo
    const offers = yield* sellable(provider.name, yield* Effect.timeout(provider.offers, timeout))
    // An empty answer is more likely an error of the provider than the end of its offers.
    if (offers.length === 0)
      return yield* Effect.logWarning(`Provider ${provider.name} lists no offer that can be sold; its last offers stay`)
    yield* changing(repo.replace(provider.name, offers))
  },
  (effect, { name }) =>
    Effect.catchCause(effect, (cause) =>
      Effect.logWarning(...Failure.logLine(`Cannot sync provider ${name}; its last offers stay`, cause))
    )
)

/** Writes the providers' offers to the catalog. A provider that fails keeps its last offers. */
export const run = Effect.gen(function* () {
  const providers = yield* Providers
  const repo = yield* CatalogSyncRepo
  const catalog = yield* Catalog
  yield* changing(repo.unlistOthers(providers.all.map(({ name }) => name)))
  yield* Effect.forEach(providers.all, syncProvider, { concurrency, discard: true })
  yield* catalog.refresh
})

/** Syncs a provider when its stock runs out or comes back, so that the catalog shows it before the next round. */
const makeRestocking = Effect.gen(function* () {
  const providers = yield* Providers
  const catalog = yield* Catalog
  const had = new Map<string, boolean>()
  return Effect.gen(function* () {
    for (const provider of providers.all) {
      if (provider.stock === undefined) continue
      const has = (yield* provider.stock.count) > 0
      if (had.get(provider.name) === has) continue
      yield* syncProvider(provider)
      yield* catalog.refresh
      had.set(provider.name, has)
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

export const layer = Layer.provide(layerNoDeps, first).pipe(Layer.provide(CatalogSyncRepo.layer))
