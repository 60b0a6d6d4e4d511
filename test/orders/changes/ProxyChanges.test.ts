import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Catalog } from "../../../src/catalog/Catalog.ts"
import * as CatalogSync from "../../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../../src/catalog/CatalogWriter.ts"
import * as Gate from "../../support/Gate.ts"
import { datacenter, mobile, residential } from "../../support/MemoryOffers.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { post, server } from "./ProxyChangesServer.ts"
import { bookedFor, changesOf, proxy } from "./ProxyChangeTesting.ts"

layer(server, { excludeTestServices: true })("ProxyChanges", (it) => {
  it.effect("a repeated key replays the answer, and belongs to one order and one body", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Residential")
      const other = yield* proxy("Residential")
      const send = (body: object, order = id, operation = "extend") =>
        post({ id: order }, operation, { user, body, idempotency: "once" })
      const first = yield* send({ months: 1 })
      const again = yield* send({ months: 1 })
      assert.deepStrictEqual([again.status, again.body], [200, first.body])
      assert.deepStrictEqual(
        [first, again].map(({ headers }) => headers["idempotency-replayed"]),
        [undefined, "true"]
      )
      const reused = yield* send({ months: 2 })
      assert.deepStrictEqual([reused.status, reused.body.details], [409, { reason: "idempotency_key_reused" }])
      assert.strictEqual((yield* send({ months: 1 }, other.id)).status, 403)
      const traffic = yield* send({ bandwidth_gb: 1 }, id, "bandwidth")
      assert.deepStrictEqual((yield* send({ bandwidth_gb: 1 }, id, "bandwidth")).body, traffic.body)
      assert.lengthOf(yield* changesOf(id), 2)
    })
  )

  it.effect("20 simultaneous extensions with one key lead to one charge and one answer", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Datacenter")
      const memory = yield* MemoryProvider
      memory.nextChange({ after: "200 millis" })
      const body = { months: 1, idempotency_key: randomUUID() }
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => post({ id }, "extend", { user, body })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      assert.strictEqual(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1)
      assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n, -1_500_000n])
    })
  )

  it.effect(
    "simultaneous extensions without a key lead to one change, and the others answer that the proxy is busy",
    () =>
      Effect.gen(function* () {
        const { id, user } = yield* proxy("Datacenter")
        const memory = yield* MemoryProvider
        const gate = yield* Gate.make
        memory.nextChange({ until: gate.pass })
        let answered = 0
        const extend = Effect.tap(post({ id }, "extend", { user, body: { months: 1 } }), () =>
          ++answered === 4 ? gate.open : Effect.void
        )
        const answers = yield* Effect.all(
          Array.from({ length: 5 }, () => extend),
          { concurrency: "unbounded" }
        )
        const busy = answers.filter(({ status }) => status === 409)
        assert.strictEqual(answers.filter(({ status }) => status === 200).length, 1)
        assert.deepStrictEqual(
          busy.map(({ body }) => body.details.reason),
          Array.from({ length: 4 }, () => "operation_in_progress")
        )
        assert.deepStrictEqual(yield* bookedFor(id), [-1_500_000n, -1_500_000n])
      })
  )

  it.effect("a refused purchase answers its reason and charges nothing", () =>
    Effect.gen(function* () {
      const { id, user } = yield* proxy("Residential", { balance: 4_000_000n })
      const why = (operation: string, body: object, order = { id, user }) =>
        Effect.map(
          post(order, operation, { user: order.user, body }),
          ({ body, status }) => `${status} ${body.details?.reason ?? body.code}`
        )
      assert.strictEqual(yield* why("extend", { months: 1 }), "409 insufficient_balance")
      const memory = yield* MemoryProvider
      const plain = yield* proxy("Datacenter")
      assert.strictEqual(yield* why("bandwidth", { bandwidth_gb: 1 }, plain), "400 BAD_REQUEST")
      memory.nextChange("refuse", "unavailable")
      assert.strictEqual(yield* why("extend", { months: 1 }, plain), "409 provider_refused")
      assert.strictEqual(yield* why("extend", { months: 1 }, plain), "503 SERVICE_UNAVAILABLE")
      assert.strictEqual(yield* Testing.balanceOf(plain.user), 98_500_000n)

      memory.setOffers([datacenter, { ...mobile, is_available: true }])
      const sync = Effect.andThen(
        Effect.provide(CatalogSync.run, CatalogWriter.layer),
        Catalog.use((_) => _.refresh)
      )
      yield* sync
      assert.strictEqual(yield* why("extend", { months: 1 }), "409 offer_withdrawn")
      memory.setOffers([datacenter, residential, { ...mobile, is_available: true }])
      yield* sync

      const sql = yield* SqlClient.SqlClient
      yield* sql`
        UPDATE proxy_order SET expires_at = cycle_started_at, expiring_at = cycle_started_at WHERE id = ${plain.id}
      `
      memory.next("time_out")
      const unprovisioned = yield* proxy("Datacenter")
      for (const order of [plain, unprovisioned]) {
        assert.strictEqual(yield* why("extend", { months: 1 }, order), "400 BAD_REQUEST")
        assert.strictEqual(yield* why("bandwidth", { bandwidth_gb: 1 }, order), "400 BAD_REQUEST")
        assert.strictEqual(yield* why("auto-renew", { enabled: true }, order), "400 BAD_REQUEST")
      }
    })
  )
})
