import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import type { Role } from "../../src/staff/Role.ts"
import { fund, newUser } from "../support/Fixtures.ts"
import * as OrderRows from "../support/OrderRows.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { newSession, newStaff } from "./StaffTesting.ts"

/** A session of a staff member with this role. */
const session = (role: Role, fields: object = {}) => Effect.flatMap(newStaff(role), (id) => newSession(id, fields))

const get = (path: string, secret: string) =>
  request("GET", `/v1/admin${path}`, { headers: { authorization: `Bearer ${secret}` } })

const post = (path: string, secret: string, body: object, key: string = randomUUID()) =>
  request("POST", `/v1/admin${path}`, {
    headers: { authorization: `Bearer ${secret}`, "idempotency-key": key },
    body
  })

const restriction = (preset: string, fields: object = {}) => ({
  preset,
  reason_code: "fraud",
  internal_reason: "Card testing",
  public_reason: "Your last payment is disputed.",
  ...fields
})

const inDays = (days: number) => Effect.map(DateTime.now, (now) => DateTime.formatIso(DateTime.add(now, { days })))

layer(TestApp.layer())("Restrictions by staff", (it) => {
  it.effect("are placed and lifted by an owner, once for a key, and the audit log has both", () =>
    Effect.gen(function* () {
      const secret = yield* session("owner")
      const user = yield* newUser
      const [key, path] = [randomUUID(), `/customers/${user}/restrictions`]
      const placed = yield* post(path, secret, restriction("ban"), key)
      assert.deepStrictEqual([placed.status, placed.body.id, placed.body.customer_id], [200, key, user])
      const again = yield* post(path, secret, restriction("ban"), key)
      assert.deepStrictEqual(again.body, placed.body)
      assert.strictEqual(again.headers["idempotency-replayed"], "true")
      const other = yield* post(path, secret, restriction("hold"), key)
      assert.deepStrictEqual([other.status, other.body.details.reason], [409, "idempotency_key_reused"])
      const shown = yield* get(`/customers/${user}`, secret)
      assert.deepStrictEqual([shown.body.access_blocked, shown.body.service_blocked], [true, true])

      const lifting = randomUUID()
      const lift = post(`/restrictions/${key}/lift`, secret, { reason: "Settled" }, lifting)
      const lifted = yield* lift
      assert.deepStrictEqual([lifted.status, lifted.body.lift_reason], [200, "Settled"])
      assert.strictEqual((yield* lift).headers["idempotency-replayed"], "true")
      const twice = yield* post(`/restrictions/${key}/lift`, secret, { reason: "For another reason" })
      assert.deepStrictEqual([twice.status, twice.body.details.reason], [409, "already_lifted"])
      assert.isFalse((yield* get(`/customers/${user}`, secret)).body.access_blocked)

      const { body } = yield* get(`/audit?user_id=${user}`, secret)
      assert.deepStrictEqual(
        body.items.map(({ action, outcome, reason, subject_id }: any) => [action, outcome, reason, subject_id]),
        [
          ["restriction.lift", "done", "Settled", key],
          ["restriction.ban", "done", "Card testing", key]
        ]
      )
    })
  )

  it.effect.each([
    ["owner", { hold: 200, suspend: 200, week: 200, ban: 200, lock: 200 }],
    ["finance", { hold: 200, suspend: 403, week: 403, ban: 403, lock: 403 }],
    ["support", { hold: 200, suspend: 422, week: 200, ban: 403, lock: 403 }],
    ["viewer", { hold: 403, suspend: 403, week: 403, ban: 403, lock: 403 }]
  ] as const)("of each kind are for their roles: %s", ([role, expected]) =>
    Effect.gen(function* () {
      const secret = yield* session(role)
      const sql = yield* SqlClient.SqlClient
      const until_at = yield* inDays(7)
      for (const [kind, status] of Object.entries(expected)) {
        const user = yield* newUser
        const body = kind === "week" ? restriction("suspend", { until_at }) : restriction(kind)
        const answer = yield* post(`/customers/${user}/restrictions`, secret, body)
        assert.strictEqual(answer.status, status, kind)
        const rows = yield* sql`SELECT FROM account_restriction WHERE user_id = ${user}`
        assert.strictEqual(rows.length, status === 200 ? 1 : 0, kind)
      }
    })
  )

  it.effect("of the weight of a ban need a confirmation of the last 5 minutes", () =>
    Effect.gen(function* () {
      const secret = yield* session("owner")
      const user = yield* newUser
      yield* TestClock.adjust("6 minutes")
      const late = yield* post(`/customers/${user}/restrictions`, secret, restriction("ban"))
      assert.deepStrictEqual([late.status, late.body.details.reason], [403, "step_up_needed"])
      const hold = yield* post(`/customers/${user}/restrictions`, secret, restriction("hold"))
      assert.strictEqual(hold.status, 200)
    })
  )

  it.effect("are lifted by nobody who could not place them", () =>
    Effect.gen(function* () {
      const [owner, support] = [yield* session("owner"), yield* session("support")]
      const user = yield* newUser
      const { body } = yield* post(`/customers/${user}/restrictions`, owner, restriction("ban"))
      const refused = yield* post(`/restrictions/${body.id}/lift`, support, { reason: "Settled" })
      assert.deepStrictEqual(
        [refused.status, refused.body.details],
        [403, { reason: "permission_needed", permission: "restriction.ban" }]
      )
      const { body: listed } = yield* get(`/customers/${user}/restrictions`, support)
      assert.deepStrictEqual(
        listed.items.map(({ id, lifted_at }: any) => [id, lifted_at]),
        [[body.id, null]]
      )
      const { body: log } = yield* get("/audit?outcome=refused&action=restriction.lift", owner)
      assert.strictEqual(log.items[0]?.subject_id, body.id)
    })
  )

  it.effect("are refused for unknown customers, without a key, and with texts out of bounds", () =>
    Effect.gen(function* () {
      const secret = yield* session("owner")
      const user = yield* newUser
      const path = `/customers/${user}/restrictions`
      assert.strictEqual(
        (yield* post(`/customers/${randomUUID()}/restrictions`, secret, restriction("hold"))).status,
        404
      )
      assert.strictEqual((yield* post(`/restrictions/${randomUUID()}/lift`, secret, { reason: "Settled" })).status, 404)
      assert.strictEqual((yield* get(`/customers/${randomUUID()}`, secret)).status, 404)
      const keyless = { headers: { authorization: `Bearer ${secret}` }, body: restriction("hold") }
      assert.strictEqual((yield* request("POST", `/v1/admin${path}`, keyless)).status, 422)
      for (const fields of [
        { internal_reason: "x" },
        { internal_reason: "x".repeat(501) },
        { public_reason: "x".repeat(301) },
        { until_at: "1970-01-01T00:00:00Z" },
        { reason_code: "mood" }
      ])
        assert.strictEqual((yield* post(path, secret, restriction("hold", fields))).status, 422)
    })
  )
})

layer(TestApp.layer())("The search of customers", (it) => {
  it.effect("finds a customer by each of the records, and shows everything about one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secret = yield* session("support")
      const [user] = [yield* newUser, yield* newUser]
      yield* sql`UPDATE user_account SET name = 'Ada' WHERE id = ${user}`
      const entry = yield* fund(user, 5_000_000n)
      yield* OrderRows.offer
      const order = randomUUID()
      const now = yield* DateTime.now
      yield* sql`INSERT INTO proxy_order ${sql.insert(OrderRows.paidOrder(order, user, now))}`
      yield* sql`UPDATE proxy_order SET ${sql.literal(OrderRows.handedOut)} WHERE id = ${order}`
      for (const [query, matched_by] of [
        [user, "id"],
        [user.toUpperCase(), "id"],
        [`${user}@EXAMPLE.com`, "email"],
        [order, "order"],
        [entry, "transaction"],
        ["192.0.2.1:20000", "address"]
      ] as const) {
        const { body, status } = yield* get(`/customers?q=${encodeURIComponent(query)}`, secret)
        assert.deepStrictEqual(
          [status, body.items.map((one: any) => [one.id, one.matched_by])],
          [200, [[user, matched_by]]],
          query
        )
      }
      assert.deepStrictEqual((yield* get("/customers?q=nothing", secret)).body.items, [])
      assert.strictEqual((yield* get("/customers?q=", secret)).status, 422)
      const { body } = yield* get(`/customers/${user}`, secret)
      assert.deepStrictEqual(
        [body.email, body.name, body.orders, body.live_orders, body.wallets[0]],
        [
          `${user}@example.com`,
          "Ada",
          1,
          1,
          {
            currency: "USD",
            balance: "5.00",
            sandbox_balance: "0.00",
            purchases_stopped: false,
            spending_blocked: false
          }
        ]
      )
    })
  )

  it.effect("finds a customer by the charge of a gateway and by the exit of a proxy", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secret = yield* session("owner")
      const user = yield* newUser
      yield* OrderRows.offer
      const reference = randomUUID()
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SET LOCAL session_replication_role = replica`
          yield* sql`
            INSERT INTO payment_charge (payment_method, charge_id, payment_intent_id, user_id, currency, amount,
              transaction_id, created_at)
            VALUES ('card_gateway', 'pi_123', gen_random_uuid(), ${user}, 'USD', 5, gen_random_uuid(), ${new Date(0)})
          `
          const order = { ...OrderRows.paidOrder(reference, user, yield* DateTime.now), provider: "gateway" }
          yield* sql`INSERT INTO proxy_order ${sql.insert(order)}`
          yield* sql`
            INSERT INTO gateway_proxy (id, reference, kind, country_code, ip_version, protocol, port, logins, status,
              exit_ip, expires_at, created_at, updated_at)
            VALUES (gen_random_uuid(), ${reference}, 'datacenter', 'US', 'IPv4', 'HTTP', 20500,
              '[{"username": "u", "password": "p"}]', 'closed', '203.0.113.9', ${new Date(1)}, ${new Date(0)}, ${new Date(0)})
          `
        })
      )
      for (const [query, matched_by] of [
        ["pi_123", "charge"],
        ["203.0.113.9:20500", "address"]
      ]) {
        const { body } = yield* get(`/customers?q=${query}`, secret)
        assert.deepStrictEqual(
          body.items.map((one: any) => [one.id, one.matched_by]),
          [[user, matched_by]]
        )
      }
    })
  )

  it.effect("hides names and addresses from a viewer", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secret = yield* session("viewer")
      const user = yield* newUser
      yield* sql`UPDATE user_account SET name = 'Ada', email = 'ada@example.org' WHERE id = ${user}`
      const [found] = (yield* get(`/customers?q=${user}`, secret)).body.items
      const { body } = yield* get(`/customers/${user}`, secret)
      assert.deepStrictEqual(
        [found.email, found.name, body.email, body.name],
        ["a***@example.org", null, "a***@example.org", null]
      )
    })
  )
})
