import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { UserId } from "../../../src/accounts/User.ts"
import * as AccountClosure from "../../../src/orders/proxies/AccountClosure.ts"
import { AccountClosureRepo } from "../../../src/orders/proxies/AccountClosureRepo.ts"
import * as ProvisioningRecovery from "../../../src/orders/provisioning/ProvisioningRecovery.ts"
import { ProxyEnd } from "../../../src/orders/proxies/ProxyEnd.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import * as ProxySyncRounds from "../../../src/orders/proxies/ProxySyncRounds.ts"
import * as Testing from "../../support/OrderTesting.ts"
import { ordered } from "./SyncTesting.ts"

const services = Layer.mergeAll(AccountClosureRepo.layer, ProxyEnd.layer).pipe(Layer.provideMerge(Testing.layer))

const erase = Effect.fnUntraced(function* (user: UserId) {
  const sql = yield* SqlClient.SqlClient
  const now = DateTime.toDate(yield* DateTime.now)
  yield* sql`UPDATE user_account SET email = NULL, deleted_at = ${now}, updated_at = ${now} WHERE id = ${user}`
})

const statuses = Effect.map(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ id: string; status: string; proxy_status: string; auto_renew: boolean }>`
      SELECT id, status, proxy_status, auto_renew FROM proxy_order
    `
  ),
  (rows) => new Map(rows.map(({ id, ...row }) => [id, row]))
)

const closures = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT user_id FROM account_closure`)

layer(services)("AccountClosure", (it) => {
  it.effect("releases the proxies of a deleted account and cancels their orders, and changes no other account", () =>
    Effect.gen(function* () {
      const gone = yield* ordered({ auto_renew: true, quantity: 3 })
      const stays = yield* ordered({ auto_renew: true })
      yield* erase(gone.user_id)
      yield* AccountClosure.run
      const found = yield* statuses
      assert.deepStrictEqual(found.get(gone.id), { status: "cancelled", proxy_status: "cancelled", auto_renew: false })
      assert.deepStrictEqual(found.get(stays.id), { status: "provisioned", proxy_status: "active", auto_renew: true })
      assert.strictEqual(gone.memory.count("release"), 3)
      assert.lengthOf(yield* closures, 0)
    })
  )

  it.effect("keeps the closure of an account that is deleted while a job settles the closure of its ban", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const repo = yield* AccountClosureRepo
      const { user_id } = yield* ordered()
      const now = yield* DateTime.now
      yield* sql`INSERT INTO account_closure (user_id, due_at) VALUES (${user_id}, ${DateTime.toDate(now)})`
      const claimed = yield* repo.claim(now, DateTime.add(now, { minutes: 20 }), 20)
      const closure = claimed.find((one) => one.user_id === user_id)!
      const [isErased, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const erasing = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* erase(user_id)
            yield* Deferred.succeed(isErased, undefined)
            yield* Deferred.await(goOn)
          })
        )
      )
      yield* Deferred.await(isErased)
      const settling = yield* Effect.forkChild(repo.settle(closure, { since: now, now, next: now }))
      const waits = sql`
        SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%account_closure%'`
      yield* Effect.repeat(waits, { until: (rows) => rows.length > 0 })
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(erasing)
      yield* Fiber.join(settling)
      assert.lengthOf(yield* closures, 1)
      yield* AccountClosure.run
      assert.lengthOf(yield* closures, 0)
    })
  )

  it.effect("ends an order as soon as its proxy is provisioned after the deletion", () =>
    Effect.gen(function* () {
      const provider = yield* MemoryProvider
      provider.next("time_out")
      const { id, user_id } = yield* ordered()
      assert.strictEqual((yield* statuses).get(id)?.status, "paid")
      yield* erase(user_id)
      yield* AccountClosure.run
      yield* TestClock.adjust("30 seconds")
      yield* ProvisioningRecovery.run
      assert.strictEqual((yield* statuses).get(id)?.status, "provisioned")
      yield* AccountClosure.run
      assert.strictEqual((yield* statuses).get(id)?.status, "cancelled")
      assert.lengthOf(yield* closures, 0)
    })
  )

  it.effect("ends the orders without a notice when a sync of the proxies runs first", () =>
    Effect.gen(function* () {
      const { id, memory, told, user_id } = yield* ordered()
      const logged: Array<string> = []
      const logger = Logger.make(({ logLevel }) => void logged.push(logLevel))
      yield* erase(user_id)
      memory.edit(id, { is_live: false })
      yield* Effect.provide(ProxySyncRounds.run, Logger.layer([logger]))
      assert.deepStrictEqual([(yield* statuses).get(id)?.status, yield* told, logged], ["provisioned", [], []])
      yield* AccountClosure.run
      assert.strictEqual((yield* statuses).get(id)?.status, "cancelled")
      assert.lengthOf(yield* closures, 0)
    })
  )

  it.effect("tries again when a provider does not answer", () =>
    Effect.gen(function* () {
      const { id, memory, user_id } = yield* ordered()
      memory.setDown(true)
      yield* erase(user_id)
      yield* AccountClosure.run
      assert.strictEqual((yield* statuses).get(id)?.status, "provisioned")
      memory.setDown(false)
      yield* TestClock.adjust("1 minute")
      yield* AccountClosure.run
      assert.strictEqual((yield* statuses).get(id)?.status, "cancelled")
      assert.lengthOf(yield* closures, 0)
    })
  )

  it.effect("ends the other orders when 200 orders of a removed provider come first", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, user_id } = yield* ordered()
      // In any sort order, some of these orders come first.
      const copies = (first: string, created: string) => sql`
        INSERT INTO proxy_order SELECT r.* FROM proxy_order o, generate_series(1, 200) n, jsonb_populate_record(o,
          jsonb_build_object('id', overlay(gen_random_uuid()::text placing ${first} from 1), 'provider', 'gone',
            'provider_proxy_id', ${first} || n, 'created_at', o.created_at - ${created}::interval)) r
        WHERE o.id = ${id}
      `
      yield* sql.withTransaction(
        sql`SET LOCAL session_replication_role = replica`.pipe(
          Effect.andThen(copies("00000000", "1 day")),
          Effect.andThen(copies("ffffffff", "-1 day"))
        )
      )
      yield* erase(user_id)
      for (let round = 0; round < 3; round++) yield* AccountClosure.run
      const found = yield* statuses
      assert.strictEqual(found.get(id)?.status, "cancelled")
      assert.strictEqual(Array.from(found.values()).filter(({ status }) => status === "provisioned").length, 401)
      assert.lengthOf(yield* closures, 1)
    })
  )
})
