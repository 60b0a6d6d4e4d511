import { NodeCrypto } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { Catalog } from "../../src/catalog/Catalog.ts"
import type { CatalogFilter } from "../../src/catalog/CatalogFilter.ts"
import { CatalogRepo } from "../../src/catalog/CatalogRepo.ts"
import { OfferId } from "../../src/catalog/Offer.ts"
import { Flags } from "../../src/flags/Flags.ts"
import type { ProviderOffer } from "../../src/provider/ProxyProvider.ts"
import { datacenter, mobile, offerOf, residential } from "../support/MemoryOffers.ts"

const offer = (id: number, terms: ProviderOffer) => offerOf({ ...terms, id: OfferId.make(id) })

const all: CatalogFilter = { is_available: false, currency: "USD" }

/** A catalog over a repository that tests change; `reads` counts the reads of the offers. */
const start = Effect.gen(function* () {
  const version = yield* Ref.make(1n)
  const offers = yield* Ref.make([offer(1, mobile), offer(2, datacenter), offer(3, residential)])
  const reads = yield* Ref.make(0)
  const isDead = yield* Ref.make(false)
  const alive = Effect.flatMap(Ref.get(isDead), (dead) =>
    dead ? Effect.die(new Error("the repository was asked")) : Effect.void
  )
  const reading = yield* Latch.make(true)
  const lost = yield* Latch.make()
  const repo = Layer.mock(CatalogRepo)({
    version: Effect.andThen(reading.await, Effect.andThen(alive, Ref.get(version))),
    renewable: alive.pipe(Effect.andThen(Ref.update(reads, (n) => n + 1)), Effect.andThen(Ref.get(offers))),
    onChange: (react) =>
      Effect.scoped(Effect.andThen(react, Effect.andThen(lost.await, Effect.die("the connection is lost"))))
  })
  const flags = Layer.mock(Flags)({ enabled: () => Effect.succeed(true) })
  const context = yield* Layer.build(Catalog.layerNoDeps.pipe(Layer.provide([repo, flags, NodeCrypto.layer])))
  return { catalog: yield* Effect.provideContext(Catalog, context), version, offers, reads, isDead, reading, lost }
})

const decoded = (answer: { readonly body: Uint8Array }): typeof JSON =>
  JSON.parse(new TextDecoder().decode(answer.body))

describe("Catalog", () => {
  it.effect("answers from memory without a query, and a repeated request without encoding", () =>
    Effect.gen(function* () {
      const { catalog, isDead } = yield* start
      yield* Ref.set(isDead, true)
      const first = yield* catalog.answer(all)
      const second = yield* catalog.answer({ ...all })
      assert.strictEqual(second, first)
      assert.strictEqual((yield* catalog.offer(1)).external_id, "mobile-gb")
    })
  )

  it.effect("gives filters with the same meaning one answer, and another currency a different one", () =>
    Effect.gen(function* () {
      const { catalog } = yield* start
      const first = yield* catalog.answer({ ...all, city: "Munich" })
      assert.strictEqual(yield* catalog.answer({ ...all, city: "MUNICH" }), first)
      assert.notStrictEqual((yield* catalog.answer({ ...all, city: "Munich", currency: "STAR" })).etag, first.etag)
      assert.notStrictEqual((yield* catalog.answer(all)).etag, first.etag)
    })
  )

  it.effect("lists the offers of a filter as values, in the order of the answer", () =>
    Effect.gen(function* () {
      const { catalog } = yield* start
      for (const filter of [{}, { kind: "residential" as const }, { country: "GB" }, { city: "munich" }]) {
        const { kinds } = decoded(yield* catalog.answer({ ...filter, currency: "USD" })) as any
        const ids = kinds.flatMap(({ offers }: any) => offers.map(({ id }: any) => id))
        assert.deepStrictEqual(
          (yield* catalog.offers(filter)).map(({ id }) => Number(id)),
          ids
        )
      }
    })
  )

  it.effect("loads a version within 10 seconds when no notification arrives", () =>
    Effect.gen(function* () {
      const { catalog, offers, version } = yield* start
      const before = yield* catalog.answer(all)
      yield* Ref.set(offers, [offer(2, datacenter)])
      yield* Ref.set(version, 2n)
      assert.strictEqual((yield* catalog.answer(all)).etag, before.etag)
      yield* TestClock.adjust("10 seconds")
      assert.notStrictEqual((yield* catalog.answer(all)).etag, before.etag)
      assert.strictEqual((yield* Effect.flip(catalog.offer(1)))._tag, "OfferNotFound")
    })
  )

  it.effect("may be out of date from a lost connection until it listens again and has read the version", () =>
    Effect.gen(function* () {
      const { catalog, lost, reading } = yield* start
      assert.isTrue(yield* catalog.isCurrent)
      yield* lost.open
      yield* Effect.yieldNow
      assert.isFalse(yield* catalog.isCurrent)
      yield* lost.close
      yield* reading.close
      yield* TestClock.adjust("1 second")
      assert.isFalse(yield* catalog.isCurrent)
      yield* reading.open
      yield* TestClock.adjust("1 second")
      assert.isTrue(yield* catalog.isCurrent)
    })
  )

  it.effect("reads the offers only when the version has changed, and keeps them while the database is away", () =>
    Effect.gen(function* () {
      const { catalog, isDead, reads, version } = yield* start
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Ref.get(reads), 1)
      yield* Ref.set(isDead, true)
      yield* Ref.set(version, 2n)
      yield* TestClock.adjust("1 minute")
      yield* catalog.answer(all)
      yield* Ref.set(isDead, false)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Ref.get(reads), 2)
    })
  )

  it.effect("gives the same content the same entity tag on every instance", () =>
    Effect.gen(function* () {
      const one = yield* (yield* start).catalog.answer(all)
      const other = yield* start
      yield* Ref.set(other.version, 7n)
      yield* other.catalog.refresh
      const again = yield* other.catalog.answer(all)
      assert.strictEqual(again.etag, one.etag)
      assert.deepStrictEqual(decoded(again), decoded(one))
    })
  )

  it.effect("keeps 500 answers and drops the least recently used one", () =>
    Effect.gen(function* () {
      const { catalog, offers, version } = yield* start
      const cities = Array.from({ length: 501 }, (_, index) => `City ${index}`)
      yield* Ref.set(offers, [
        offer(3, { ...residential, locations: cities.map((city) => ({ region: "Somewhere", city })) })
      ])
      yield* Ref.set(version, 2n)
      yield* catalog.refresh
      const at = (index: number) => catalog.answer({ ...all, city: `City ${index}` })
      const [first, second] = [yield* at(0), yield* at(1)]
      for (let index = 2; index < 500; index++) yield* at(index)
      assert.strictEqual(yield* at(0), first)
      yield* at(500)
      assert.strictEqual(yield* at(0), first)
      assert.notStrictEqual(yield* at(1), second)
    })
  )

  it.effect("does not drop useful answers for requests with unknown places", () =>
    Effect.gen(function* () {
      const { catalog } = yield* start
      const kept = yield* catalog.answer(all)
      for (let index = 0; index < 600; index++) yield* catalog.answer({ ...all, city: `Nowhere ${index}` })
      assert.strictEqual(yield* catalog.answer(all), kept)
    })
  )

  it.effect("is not filled before the first sync", () =>
    Effect.gen(function* () {
      const { catalog, offers, version } = yield* start
      assert.isTrue(yield* catalog.filled)
      yield* Ref.set(offers, [])
      yield* Ref.set(version, 0n)
      yield* catalog.refresh
      assert.isFalse(yield* catalog.filled)
    })
  )
})
