import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { ApiKeys } from "../../src/accounts/api-keys/ApiKeys.ts"
import { Notifications } from "../../src/notifications/Notifications.ts"
import { household } from "../dashboard/FormTesting.ts"
import { fund, newUser } from "../support/Fixtures.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { newSession, newStaff } from "./StaffTesting.ts"

const get = (path: string, secret: string) =>
  request("GET", `/v1/admin${path}`, { headers: { authorization: `Bearer ${secret}` } })

const lists = ["orders", "transactions", "payments", "api-keys", "sessions", "connections", "notices", "notes", "mails"]

layer(TestApp.layerSandbox, { timeout: "2 minutes" })("The records of a customer", (it) => {
  it.effect("are listed with everything that a customer has, and without secrets", () =>
    Effect.gen(function* () {
      const secret = yield* newSession(yield* newStaff("support"))
      const { ids, user_id } = yield* household
      const of = (list: string) => Effect.map(get(`/customers/${user_id}/${list}`, secret), ({ body }) => body.items)

      const orders = yield* of("orders")
      assert.deepStrictEqual(
        orders.map(({ id }: any) => id).toSorted(),
        [ids["order_id"], ids["traffic_id"], ids["mobile_id"], ids["unpaid_id"]].toSorted()
      )
      const order = orders.find(({ id }: any) => id === ids["order_id"])
      assert.deepInclude(order, { status: "provisioned", proxy_status: "active", currency: "USD" })
      assert.notProperty(order, "password")

      const entries = yield* of("transactions")
      assert.isAtLeast(entries.length, 4)
      const payment = entries.find(({ order_id }: any) => order_id === ids["order_id"])
      assert.deepInclude(payment, { transaction_type: "payment", status: "completed", amount: `-${order.total}` })

      const payments = yield* of("payments")
      assert.sameMembers(
        payments.map(({ purpose }: any) => purpose),
        ["deposit", "order"]
      )
      assert.isAtLeast((yield* of("api-keys")).length, 1)
      assert.notProperty((yield* of("api-keys"))[0], "key_hash")
      assert.isAtLeast((yield* of("sessions")).length, 1)
      assert.isAtLeast((yield* of("connections")).length, 1)
      assert.include(
        (yield* of("notices")).map(({ kind }: any) => kind),
        "proxy_renewed"
      )
    })
  )

  it.effect("of both wallets come in pages without a gap, the newest first", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secret = yield* newSession(yield* newStaff("viewer"))
      const user = yield* newUser
      for (let n = 0; n < 3; n++) {
        yield* fund(user, 1_000_000n)
        yield* fund(user, 7n, "STAR")
      }
      const seen: Array<string> = []
      let next: string | null = null
      do {
        const { body }: any = yield* get(
          `/customers/${user}/transactions?limit=2${next === null ? "" : `&after=${next}`}`,
          secret
        )
        assert.isAtMost(body.items.length, 2)
        seen.push(...body.items.map(({ id }: any) => id))
        next = body.next
      } while (next !== null)
      const rows = yield* sql<{ id: string }>`
        SELECT id FROM wallet_transaction WHERE user_id = ${user} ORDER BY created_at DESC, id DESC
      `
      assert.lengthOf(seen, 6)
      assert.deepStrictEqual(
        seen,
        rows.map(({ id }) => id)
      )
    })
  )

  it.effect("of another customer are never among them, and unknown customers have none", () =>
    Effect.gen(function* () {
      const secret = yield* newSession(yield* newStaff("owner"))
      const [user, other] = [yield* newUser, yield* newUser]
      yield* fund(other, 1_000_000n)
      yield* ApiKeys.use((keys) => keys.create(other, { name: "key" }))
      yield* Notifications.use(({ add }) =>
        add([{ user_id: other, kind: "proxy_renewed", order_id: null, message: () => "Renewed" }])
      )
      for (const list of lists) {
        const { body } = yield* get(`/customers/${user}/${list}`, secret)
        assert.deepStrictEqual(body, { items: [], next: null }, list)
        assert.strictEqual((yield* get(`/customers/${randomUUID()}/${list}`, secret)).status, 404, list)
      }
    })
  )

  it.effect("show no address of a session or a key to a viewer", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const user = yield* newUser
      const now = DateTime.toDate(yield* DateTime.now)
      yield* sql`INSERT INTO user_session ${sql.insert({
        id: randomUUID(),
        user_id: user,
        created_at: now,
        expires_at: new Date(now.getTime() + 1000),
        user_agent: "a browser",
        address: "192.0.2.9"
      })}`
      yield* ApiKeys.use((keys) => keys.create(user, { name: "key", allowed_ips: ["192.0.2.0/24"] }))
      const addressFor = Effect.fnUntraced(function* (role: "viewer" | "support") {
        const secret = yield* newSession(yield* newStaff(role))
        const { body: keys } = yield* get(`/customers/${user}/api-keys`, secret)
        const { body: sessions } = yield* get(`/customers/${user}/sessions`, secret)
        return [sessions.items[0].address, keys.items[0].allowed_ips]
      })
      assert.deepStrictEqual(yield* addressFor("viewer"), [null, null])
      assert.deepStrictEqual(yield* addressFor("support"), ["192.0.2.9", ["192.0.2.0/24"]])
    })
  )
})
