import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { Catalog } from "../../src/catalog/Catalog.ts"
import { type SalesPause, SalesPauseId } from "../../src/catalog/SalesPause.ts"
import * as SalesPauseExpiry from "../../src/catalog/SalesPauseExpiry.ts"
import { SalesPauses } from "../../src/catalog/SalesPauses.ts"
import { SalesPausesRepo } from "../../src/catalog/SalesPausesRepo.ts"
import { PaymentMethod } from "../../src/wallet/PaymentMethod.ts"
import { datacenter, mobile, residential } from "../support/MemoryOffers.ts"
import { everything, start } from "./CatalogTesting.ts"

const inStock = { ...mobile, is_available: true }

const place = (scope: SalesPause["scope"], scope_id: string | null, hours = 24) =>
  SalesPauses.use((pauses) =>
    pauses.place({
      id: SalesPauseId.make(randomUUID()),
      scope,
      scope_id,
      reason: "The vendor has an outage",
      placed_by: "a test",
      hours
    })
  )

const lift = ({ id }: SalesPause) =>
  SalesPauses.use((pauses) => pauses.lift(id, { by: "a test", reason: "It is over" }))

/** The kinds of the offers that the catalog shows as available, as soon as this process has heard of the last change. */
const available = Effect.gen(function* () {
  const catalog = yield* Catalog
  yield* catalog.refresh
  const offers = yield* catalog.offers({ is_available: true })
  return offers.map(({ kind }) => kind).toSorted()
})

const all = ["datacenter", "mobile", "residential"]

const services = Layer.mergeAll(SalesPauses.layer, SalesPausesRepo.layer)

/** The tag of a failure. */
const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

layer(Layer.provideMerge(services, everything))("A pause of sales", (it) => {
  it.effect("hides the offers of its scope from the next request on, until it is lifted", () =>
    Effect.gen(function* () {
      const { memory, sync } = yield* start(datacenter, residential, inStock)
      yield* sync
      const catalog = yield* Catalog
      const one = (yield* catalog.offers({ kind: "mobile" }))[0]!
      const cases = [
        ["all", null, []],
        ["provider", memory.provider.name, []],
        ["kind", "residential", ["datacenter", "mobile"]],
        ["offer", String(one.id), ["datacenter", "residential"]],
        ["method", "card_gateway", all]
      ] as const
      for (const [scope, scope_id, left] of cases) {
        const before = yield* catalog.answer({ currency: "USD" })
        const pause = yield* place(scope, scope_id)
        assert.deepStrictEqual(yield* available, left, scope)
        assert.strictEqual(before.isCurrent(), scope === "method", scope)
        // A sync changes nothing about it.
        yield* sync
        assert.deepStrictEqual(yield* available, left, scope)
        assert.lengthOf(yield* catalog.offers({}), 3)
        yield* lift(pause)
        assert.deepStrictEqual(yield* available, all, scope)
      }
    })
  )

  it.effect("holds for an article of the gateway, and not for another provider's offer with its id", () =>
    Effect.gen(function* () {
      const { sync } = yield* start(datacenter, residential)
      yield* sync
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE offer SET provider = 'gateway' WHERE listed AND kind = 'datacenter'`
      assert.strictEqual((yield* Effect.flip(place("article", residential.external_id)))._tag, "PauseSubjectNotFound")
      const pause = yield* place("article", datacenter.external_id)
      assert.deepStrictEqual(yield* available, ["residential"])
      yield* lift(pause)
      yield* sql`UPDATE offer SET listed = false, renewable = false WHERE provider = 'gateway'`
    })
  )

  it.effect("overlaps with others: an offer is sold again when no pause covers it", () =>
    Effect.gen(function* () {
      const { memory, sync } = yield* start(datacenter, residential)
      yield* sync
      const kind = yield* place("kind", "datacenter")
      const provider = yield* place("provider", memory.provider.name)
      yield* lift(provider)
      assert.deepStrictEqual(yield* available, ["residential"])
      yield* lift(kind)
      assert.deepStrictEqual(yield* available, ["datacenter", "residential"])
    })
  )

  it.effect("covers offers that a sync adds or moves to another kind", () =>
    Effect.gen(function* () {
      const { memory, sync } = yield* start(residential)
      const pause = yield* place("kind", "datacenter")
      memory.setOffers([residential, datacenter])
      yield* sync
      assert.deepStrictEqual(yield* available, ["residential"])
      memory.setOffers([{ ...residential, kind: "datacenter", locations: [] }, datacenter])
      yield* sync
      assert.deepStrictEqual(yield* available, [])
      yield* lift(pause)
      assert.deepStrictEqual(yield* available, ["datacenter", "datacenter"])
    })
  )

  it.effect("ends by itself", () =>
    Effect.gen(function* () {
      const { sync } = yield* start(datacenter, residential)
      yield* sync
      const long = yield* place("kind", "datacenter")
      const short = yield* place("kind", "residential", 1)
      yield* TestClock.adjust("59 minutes")
      yield* SalesPauseExpiry.run
      assert.deepStrictEqual(yield* available, [])
      yield* TestClock.adjust("1 minute")
      yield* SalesPauseExpiry.run
      assert.deepStrictEqual(yield* available, ["residential"])
      yield* TestClock.adjust("23 hours")
      yield* SalesPauseExpiry.run
      assert.deepStrictEqual(yield* available, ["datacenter", "residential"])
      const pauses = yield* SalesPauses
      const ended = (yield* pauses.list(100)).filter(({ id }) => id === long.id || id === short.id)
      assert.deepStrictEqual(
        ended.map(({ lifted_by }) => lifted_by),
        ["service", "service"]
      )
      assert.lengthOf(yield* pauses.open(10), 0)
    })
  )

  it.effect("goes on when a person moves its end after the job has read it", () =>
    Effect.gen(function* () {
      yield* (yield* start(datacenter)).sync
      const repo = yield* SalesPausesRepo
      const pause = yield* place("kind", "datacenter", 1)
      yield* TestClock.adjust("1 hour")
      const extendedMeanwhile = {
        ...repo,
        due: (...given: Parameters<typeof repo.due>) => Effect.tap(repo.due(...given), () => repo.extend(pause.id, 1))
      }
      const service = Layer.provide(
        Layer.fresh(SalesPauses.layerNoDeps),
        Layer.succeed(SalesPausesRepo, extendedMeanwhile)
      )
      yield* Effect.provide(SalesPauseExpiry.run, service)
      assert.deepStrictEqual(yield* available, [])
      yield* lift(pause)
    })
  )

  it.effect("is refused for a thing that does not exist, and for a paused one", () =>
    Effect.gen(function* () {
      const unknown = [
        ["all", "everything"],
        ["provider", "nobody"],
        ["kind", null],
        ["kind", "static"],
        ["article", "none"],
        ["offer", "0"],
        ["offer", "123456789"],
        ["method", "wallet"]
      ] as const
      for (const [scope, scope_id] of unknown)
        assert.strictEqual(yield* tagOf(place(scope, scope_id)), "PauseSubjectNotFound", `${scope} ${scope_id}`)
      for (const method of PaymentMethod.literals) {
        const pause = yield* place("method", method)
        assert.strictEqual(yield* tagOf(place("method", method)), "SalesAlreadyPaused")
        yield* lift(pause)
        assert.strictEqual(yield* tagOf(lift(pause)), "SalesPauseLifted")
      }
      assert.strictEqual(
        yield* tagOf(lift({ id: SalesPauseId.make(randomUUID()) } as SalesPause)),
        "SalesPauseNotFound"
      )
    })
  )

  it.effect("is a record: it is lifted once, its end moves to a later time only, and nothing else changes it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* place("method", "crypto_gateway")
      const lifting = sql`lifted_at = placed_at, lifted_by = 'x', lift_reason = 'over'`
      const changes = [
        sql`UPDATE sales_pause SET reason = 'another one' WHERE id = ${id}`,
        sql`UPDATE sales_pause SET until_at = until_at - interval '1 hour' WHERE id = ${id}`,
        sql`UPDATE sales_pause SET until_at = until_at + interval '1 hour', reason = 'another one' WHERE id = ${id}`,
        sql`UPDATE sales_pause SET until_at = until_at + interval '1 hour', ${lifting} WHERE id = ${id}`,
        sql`UPDATE sales_pause SET until_at = until_at + interval '366 days' WHERE id = ${id}`,
        sql`UPDATE sales_pause SET lifted_at = placed_at WHERE id = ${id}`,
        sql`UPDATE sales_pause SET ${lifting}, reason = 'another one' WHERE id = ${id}`,
        sql`DELETE FROM sales_pause`,
        sql`TRUNCATE sales_pause`
      ]
      for (const change of changes) assert.strictEqual((yield* Effect.flip(change))._tag, "SqlError")
      yield* sql`UPDATE sales_pause SET until_at = until_at + interval '1 hour' WHERE id = ${id}`
      yield* sql`UPDATE sales_pause SET ${lifting} WHERE id = ${id}`
      const later = sql`UPDATE sales_pause SET until_at = until_at + interval '1 hour' WHERE id = ${id}`
      assert.strictEqual((yield* Effect.flip(later))._tag, "SqlError")
      assert.strictEqual((yield* Effect.flip(sql`UPDATE sales_pause SET ${lifting} WHERE id = ${id}`))._tag, "SqlError")
    })
  )
})
