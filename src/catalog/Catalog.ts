import { Context, Deferred, Effect, Layer, Schedule, Semaphore } from "effect"
import { Digest } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { UserId } from "../accounts/User.ts"
import { Flags } from "../flags/Flags.ts"
import * as Failure from "../platform/errors/Failure.ts"
import { RecentMap } from "../platform/RecentMap.ts"
import { catalogView, sorted } from "./CatalogView.ts"
import { LocationFilterDisabled, OfferNotFound } from "./CatalogErrors.ts"
import { type CatalogFilter, type ChosenOffers, filtersByLocation, keyOf, matching } from "./CatalogFilter.ts"
import { CatalogRepo } from "./CatalogRepo.ts"
import type { Offer } from "./Offer.ts"

/** The bytes of an answer and their strong entity tag. */
export interface EncodedAnswer {
  readonly etag: string
  readonly body: Uint8Array
  /** False once the catalog has changed. */
  readonly isCurrent: () => boolean
}

/** One version of the catalog, with the answers that were made from it. */
interface Edition {
  readonly version: bigint
  readonly offers: ReadonlyArray<Offer>
  /** Also the offers that are no longer on sale, but renewable. */
  readonly byId: ReadonlyMap<number, Offer>
  /** The most recently requested answers. */
  readonly answers: RecentMap<string, EncodedAnswer>
}

const maxAnswers = 500

const editionOf = (version: bigint, offers: ReadonlyArray<Offer>): Edition => ({
  version,
  offers: sorted(offers.filter(({ listed }) => listed)),
  byId: new Map(offers.map((offer) => [offer.id, offer])),
  answers: new RecentMap(maxAnswers)
})

const utf8 = new TextEncoder()

/** Loads each version of the database. Returns an effect that is true while no change can have been missed. */
const following = Effect.fnUntraced(function* (repo: CatalogRepo["Service"], refresh: Effect.Effect<void>) {
  let isCurrent = false
  const setCurrent = (value: boolean) => Effect.sync(() => void (isCurrent = value))
  /** Done when the first attempt to listen has begun or failed. */
  const tried = Deferred.makeUnsafe<void>()
  const begun = Deferred.succeed(tried, undefined)
  const follow = Effect.all([setCurrent(false), refresh, setCurrent(true), begun], { discard: true })

  yield* repo.onChange(follow).pipe(
    Effect.ensuring(Effect.andThen(setCurrent(false), begun)),
    Effect.catchCause((cause) =>
      Effect.logWarning(...Failure.logLine("Cannot listen for catalog changes; trying again", cause))
    ),
    Effect.repeat(Schedule.spaced("1 second")),
    Effect.forkScoped
  )
  // A database notification is lost when its connection ends.
  yield* refresh.pipe(
    Effect.catchCause((cause) => Effect.logWarning(...Failure.logLine("Cannot read the catalog version", cause))),
    Effect.schedule(Schedule.spaced("10 seconds")),
    Effect.forkScoped
  )
  yield* Deferred.await(tried)
  return Effect.sync(() => isCurrent)
})

/** The offers, held in memory. Each instance follows the catalog version of the database. */
export class Catalog extends Context.Service<
  Catalog,
  {
    /** An offer on sale. */
    readonly offer: (id: number) => Effect.Effect<Offer, OfferNotFound>
    /** An offer whose running orders can be extended. Offers on sale are renewable. */
    readonly renewable: (id: number) => Effect.Effect<Offer, OfferNotFound>
    /** The ids, at their provider, of a provider's offers that are shown as in stock. */
    readonly inStock: (provider: string) => Effect.Effect<ReadonlyArray<string>>
    /** The offers on sale that a filter chooses, in the order of the catalog. */
    readonly offers: (
      filter: ChosenOffers,
      visitor?: UserId | null
    ) => Effect.Effect<ReadonlyArray<Offer>, LocationFilterDisabled>
    /** The encoded answer to `GET /catalog`. A repeated request costs no query and no encoding. */
    readonly answer: (
      filter: CatalogFilter,
      visitor?: UserId | null
    ) => Effect.Effect<EncodedAnswer, LocationFilterDisabled>
    /** Loads the database's version immediately. */
    readonly refresh: Effect.Effect<void>
    /** False while a change may have been missed: without a connection that listens, and until an announced change is read. */
    readonly isCurrent: Effect.Effect<boolean>
    /** True once a sync has filled the catalog. */
    readonly filled: Effect.Effect<boolean>
  }
>()("app/catalog/Catalog") {
  static readonly layerNoDeps = Layer.effect(
    Catalog,
    Effect.gen(function* () {
      const repo = yield* CatalogRepo
      const flags = yield* Flags
      const digest = yield* Digest.Digest
      let current = editionOf(0n, [])

      // The version is read first, so that offers that change in between are loaded with the next version.
      const refresh = Effect.gen(function* () {
        const version = yield* repo.version
        if (version !== current.version) current = editionOf(version, yield* repo.renewable)
      }).pipe(Semaphore.makeUnsafe(1).withPermit, Effect.withSpan("Catalog.refresh"))

      const encode = Effect.fnUntraced(function* (edition: Edition, key: string, filter: CatalogFilter) {
        const { answers, offers } = edition
        const found = offers.filter(matching(filter))
        const body = utf8.encode(JSON.stringify(catalogView(found, filter.currency)))
        const etag = `"${Base64Url.encode(yield* digest.digest(Digest.sha256, body))}"`
        const answer = { body, etag, isCurrent: () => current === edition }
        // Unknown place names are unlimited in number, so their empty answers must not displace useful ones.
        if (found.length > 0) answers.set(key, answer)
        return answer
      })

      const locationFilter = Effect.fnUntraced(function* (visitor: UserId | null) {
        if (!(yield* flags.enabled("isp.city.enable", visitor ?? undefined))) return yield* new LocationFilterDisabled()
      })

      const offers = Effect.fnUntraced(function* (filter: ChosenOffers, visitor: UserId | null = null) {
        if (filtersByLocation(filter)) yield* locationFilter(visitor)
        return current.offers.filter(matching(filter))
      })

      const answer = Effect.fnUntraced(function* (filter: CatalogFilter, visitor: UserId | null = null) {
        if (filtersByLocation(filter)) yield* locationFilter(visitor)
        const key = keyOf(filter)
        const kept = current.answers.get(key)
        if (kept === undefined) return yield* encode(current, key, filter)
        current.answers.set(key, kept)
        return kept
      })

      const renewable = Effect.fnUntraced(function* (id: number) {
        return current.byId.get(id) ?? (yield* new OfferNotFound())
      })
      const offer = Effect.fnUntraced(function* (id: number) {
        const found = yield* renewable(id)
        return found.listed ? found : yield* new OfferNotFound()
      })

      const inStock = (name: string) =>
        Effect.sync(() =>
          current.offers.flatMap(({ external_id, is_available, provider }) =>
            provider === name && is_available ? external_id : []
          )
        )

      yield* refresh
      const isCurrent = yield* following(repo, refresh)

      return Catalog.of({
        offer,
        offers,
        renewable,
        inStock,
        answer,
        refresh,
        isCurrent,
        filled: Effect.sync(() => current.version > 0n)
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(CatalogRepo.layer))
}
