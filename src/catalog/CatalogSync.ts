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

/** An offer as we can sell it; only ISP offers carry locations (specification section 4.1). */
const terms = (offer: ProviderOffer) => {
  const ours = { ...offer, locations: offer.kind === "residential" ? offer.locations : [] }
  return Result.map(validate(ours), () => ours)
}

/** The offers that can be sold, each once; a faulty one is left out and does not hold up the others. */
const sellable = Effect.fnUntraced(function* (provider: string, offers: ReadonlyArray<ProviderOffer>) {
  const found = new Map<string, OfferTerms>()
  for (const offer of offers.slice(0, maxOffers)) {
    const result = terms(offer)
    if (Result.isSuccess(result) && !found.has(offer.external_id)) found.set(offer.external_id, result.success)
    else
      yield* Effect.logWarning(
        `Offer ${offer.external_id} of ${provider} is left out`,
        Result.isSuccess(result) ? "it is there twice" : result.failure
      )
  }
  if (offers.length > maxOffers)
    yield* Effect.logWarning(`${provider} has ${offers.length} offers; only ${maxOffers} are taken`)
  return [...found.values()]
})

/** Raises the version in the transaction of `change` when that changed anything. */
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
    // An empty answer is more likely a fault of the provider than the end of its business.
    if (offers.length === 0)
      return yield* Effect.logWarning(
        `Provider ${provider.name} answered no offer that can be sold; its last ones stay`
      )
    yield* changing(repo.replace(provider.name, offers))
  },
  (effect, { name }) =>
    Effect.catchCause(effect, (cause) =>
      Effect.logWarning(...Failure.told(`Provider ${name} could not be synced; its last offers stay`, cause))
    )
)

/** Brings the catalog up to what the providers offer; one that fails keeps its last offers. */
export const run = Effect.gen(function* () {
  const providers = yield* Providers
  const repo = yield* CatalogSyncRepo
  const catalog = yield* Catalog
  yield* changing(repo.unlistOthers(providers.all.map(({ name }) => name)))
  yield* Effect.forEach(providers.all, syncProvider, { concurrency, discard: true })
  yield* catalog.refresh
})

/** Syncs a provider when its stock runs out or comes back, so that buyers hear of it before the next round. */
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

/** Syncs at once and then every `CATALOG_SYNC_SECONDS`; a provider whose stock runs out or comes back, within a second. */
export const layerNoDeps = Layer.unwrap(
  Effect.gen(function* () {
    const seconds = yield* Seconds
    return Layer.merge(
      Job.layer("CatalogSync", Schedule.concat(Schedule.once, Schedule.spaced(seconds * 1000)), run),
      Job.layer("CatalogStock", Schedule.spaced("1 second"), yield* makeRestocking)
    )
  })
)

/** A catalog that nobody has filled yet is filled before anybody can ask for it. */
const first = Layer.effectDiscard(
  Effect.gen(function* () {
    const catalog = yield* Catalog
    if (!(yield* catalog.filled)) yield* Effect.timeoutOption(run, "5 seconds")
  })
)

export const layer = Layer.provide(layerNoDeps, first).pipe(Layer.provide(CatalogSyncRepo.layer))
