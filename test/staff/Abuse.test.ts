import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { newSession, newStaff } from "./StaffTesting.ts"

const support = Effect.gen(function* () {
  const secret = yield* newSession(yield* newStaff("support"))
  return (method: "GET" | "POST" | "DELETE", path: string, body?: object, key: string = randomUUID()) =>
    request(method, `/v1/admin${path}`, {
      headers: { authorization: `Bearer ${secret}`, "idempotency-key": key },
      ...(body !== undefined && { body })
    })
})

const audited = (subject_kind: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Record<string, unknown>>`
      SELECT action, outcome, subject_id, reason, before, after FROM audit_event
      WHERE subject_kind = ${subject_kind} ORDER BY occurred_at, id
    `
  )

const rule = {
  scope: "platform",
  scope_id: null,
  action: "deny",
  first_port: 6660,
  last_port: 6669,
  network: null,
  host_suffix: null,
  until_at: null,
  reason: "IRC botnets"
}

layer(TestApp.layer())("The abuse desk", (it) => {
  it.effect("looks up an address, and records who asked about which case", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ask = yield* support
      const [proxy, order] = [randomUUID(), randomUUID()]
      yield* sql`
        INSERT INTO gateway_proxy (id, reference, kind, country_code, ip_version, protocol, port, logins, status, exit_ip,
          expires_at, created_at, updated_at)
        VALUES (${proxy}, ${order}, 'datacenter', 'US', 'IPv4', 'HTTP', 7, '[{"username": "u", "password": "p"}]', 'open',
          '203.0.113.6', ${new Date(86_400_000)}, ${new Date(0)}, ${new Date(0)})
      `
      const question = { exit_ip: "203.0.113.6", exit_port: null, at: "1970-01-01T01:00:00+01:00", destination: null }
      const { body, status } = yield* ask("POST", "/abuse/look-up", {
        ...question,
        case_number: "4711",
        reason: "scan"
      })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual([body.verdict, body.total, body.candidates[0].order_id], ["exact", 1, order])
      assert.strictEqual((yield* ask("POST", "/abuse/look-up", question)).status, 422)
      const complaint = { ...question, case_number: "4711", reason: "scan" }
      for (const at of ["1970-01-01T00:00:00", "1970-01-01T00:06:00Z"])
        assert.strictEqual((yield* ask("POST", "/abuse/look-up", { ...complaint, at })).status, 422, at)
      const old = yield* ask("POST", "/abuse/look-up", { ...complaint, at: "1968-01-01T00:00:00Z" })
      assert.deepStrictEqual([old.status, old.body.verdict, old.body.total], [200, "unknown", 0])
      const [event, ...others] = yield* audited("exit_address")
      assert.lengthOf(others, 1)
      assert.deepInclude(event, {
        action: "abuse.act",
        outcome: "done",
        subject_id: "203.0.113.6",
        reason: "4711: scan"
      })
      assert.deepInclude(event?.["after"] as object, { verdict: "exact", exit_port: null })
    })
  )

  it.effect("knows the machine's own addresses", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ask = yield* support
      const [proxy, order] = [randomUUID(), randomUUID()]
      yield* sql`
        INSERT INTO gateway_proxy (id, reference, kind, country_code, ip_version, protocol, port, logins, status, exit_ip,
          expires_at, created_at, updated_at)
        VALUES (${proxy}, ${order}, 'residential', 'US', 'IPv4', 'HTTP', 8, '[{"username": "u", "password": "p"}]', 'open',
          NULL, ${new Date(86_400_000)}, ${new Date(0)}, ${new Date(0)})
      `
      const own = { exit_ip: "127.0.0.1", exit_port: null, at: "1970-01-01T00:00:00Z", destination: null }
      const { body } = yield* ask("POST", "/abuse/look-up", { ...own, case_number: "1", reason: "scan" })
      assert.deepStrictEqual([body.verdict, body.candidates[0]?.order_id], ["exact", order])
    })
  )

  it.effect("asks for a fresh confirmation before a rule blocks a destination for everybody", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ask = yield* support
      yield* sql`UPDATE staff_session SET confirmed_at = confirmed_at - interval '6 minutes'`
      const refused = yield* ask("POST", "/destination-rules", { ...rule, host_suffix: "everybody.test" })
      assert.deepStrictEqual([refused.status, refused.body.details.reason], [403, "step_up_needed"])
      const narrow = { ...rule, scope: "proxy", scope_id: "none" }
      assert.strictEqual((yield* ask("POST", "/destination-rules", narrow)).status, 409)
      const allowed = yield* ask("POST", "/destination-rules", { ...rule, action: "allow" })
      assert.strictEqual(allowed.status, 201)
      yield* ask("DELETE", `/destination-rules/${allowed.body.id}`, { reason: "over" })
    })
  )

  it.effect("places a rule once, lists it and removes it, on record", () =>
    Effect.gen(function* () {
      const ask = yield* support
      const key = randomUUID()
      const placed = yield* ask("POST", "/destination-rules", rule, key)
      assert.strictEqual(placed.status, 201)
      const again = yield* ask("POST", "/destination-rules", rule, key)
      assert.deepStrictEqual([again.status, again.body], [201, placed.body])
      assert.strictEqual((yield* ask("POST", "/destination-rules", { ...rule, reason: "other" }, key)).status, 409)
      const listed = yield* ask("GET", "/destination-rules?limit=10")
      assert.deepStrictEqual(
        listed.body.items.map(({ id }: { id: string }) => id),
        [placed.body.id]
      )
      const unknown = yield* ask("POST", "/destination-rules", { ...rule, scope: "article", scope_id: "none" })
      assert.deepStrictEqual([unknown.status, unknown.body.details.why], [409, "The article none is unknown"])
      for (const wrong of [
        { first_port: null },
        { first_port: 9, last_port: 1 },
        { network: "8.8.8.8/33" },
        { network: "8.8.8.0/24", host_suffix: "a.test" },
        { host_suffix: "a..test" },
        { reason: "" }
      ])
        assert.strictEqual((yield* ask("POST", "/destination-rules", { ...rule, ...wrong })).status, 422)
      const path = `/destination-rules/${placed.body.id}`
      assert.strictEqual((yield* ask("DELETE", path, { reason: "over" })).status, 200)
      assert.strictEqual((yield* ask("DELETE", path, { reason: "over" })).status, 404)
      const events = (yield* audited("destination_rule")).filter(({ subject_id }) => subject_id === placed.body.id)
      assert.deepStrictEqual(
        events.map(({ action, reason }) => [action, reason]),
        [
          ["gateway.change", "IRC botnets"],
          ["gateway.change", "over"]
        ]
      )
      const viewer = yield* newSession(yield* newStaff("viewer"))
      const headers = { authorization: `Bearer ${viewer}`, "idempotency-key": randomUUID() }
      assert.strictEqual((yield* request("GET", "/v1/admin/destination-rules", { headers })).status, 200)
      const refused = yield* request("POST", "/v1/admin/destination-rules", { headers, body: rule })
      assert.strictEqual(refused.status, 403)
    })
  )
})
