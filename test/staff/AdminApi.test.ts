import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AdminApi } from "../../src/AdminApi.ts"
import { Api } from "../../src/Api.ts"
import { faultIn } from "../../src/http/AdminRoutes.ts"
import { ofRole } from "../../src/staff/Permissions.ts"
import { MovesMoney, RequiredPermission } from "../../src/staff/StaffAuthenticationApi.ts"
import * as StaffActionApi from "../../src/staff/StaffActionApi.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { newSession, newStaff, newToken } from "./StaffTesting.ts"

const get = (path: string, secret: string, headers: Record<string, string> = {}) =>
  request("GET", path, { headers: { ...headers, authorization: `Bearer ${secret}` } })

const statusOf = (path: string, secret: string) => Effect.map(get(path, secret), ({ status }) => status)

layer(TestApp.layer({ ADMIN_ALLOWED_IPS: "127.0.0.0/8, ::1" }))("The admin API", (it) => {
  it.effect("answers a session and a token of a staff member with their rights", () =>
    Effect.gen(function* () {
      const id = yield* newStaff("finance")
      const session = yield* get("/v1/admin/me", yield* newSession(id))
      assert.deepStrictEqual(session.body, {
        kind: "staff",
        staff_id: id,
        name: "A finance",
        role: "finance",
        permissions: ofRole("finance")
      })
      const token = yield* get("/v1/admin/me", yield* newToken(id, ["me.read", "staff.read"]))
      assert.deepStrictEqual([token.body.kind, token.body.permissions], ["token", ["me.read"]])
    })
  )

  it.effect("refuses what a role or a token does not allow, and records that", () =>
    Effect.gen(function* () {
      const owner = yield* newStaff("owner")
      const support = yield* newStaff("support")
      const narrowed = yield* newToken(owner, ["me.read"])
      for (const secret of [yield* newSession(support), narrowed]) {
        const { body, status } = yield* get("/v1/admin/audit", secret)
        assert.deepStrictEqual(
          [status, body.code, body.details],
          [403, "FORBIDDEN", { reason: "permission_needed", permission: "audit.read" }]
        )
      }
      const { body } = yield* get("/v1/admin/audit?outcome=refused&limit=2", yield* newSession(owner))
      assert.deepStrictEqual(
        body.items.map(({ action, actor_kind, role, subject_id }: any) => [action, actor_kind, role, subject_id]),
        [
          ["audit.read", "token", "owner", "listAudit"],
          ["audit.read", "staff", "support", "listAudit"]
        ]
      )
    })
  )

  it.effect("ends credentials: after 30 idle minutes, after 12 hours, at their end, with their staff member", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = yield* newStaff("owner")
      yield* newStaff("owner")
      const secret = yield* newSession(id)
      yield* TestClock.adjust("29 minutes")
      assert.strictEqual(yield* statusOf("/v1/admin/me", secret), 200)
      yield* TestClock.adjust("29 minutes")
      assert.strictEqual(yield* statusOf("/v1/admin/me", secret), 200)
      yield* TestClock.adjust("30 minutes")
      assert.strictEqual(yield* statusOf("/v1/admin/me", secret), 401)

      const now = yield* DateTime.now
      const ended = { ends_at: DateTime.toDate(now) }
      assert.strictEqual(yield* statusOf("/v1/admin/me", yield* newSession(id, ended)), 401)
      assert.strictEqual(yield* statusOf("/v1/admin/me", yield* newSession(id, { confirmed_at: null })), 401)
      const expired = { expires_at: DateTime.toDate(now) }
      assert.strictEqual(yield* statusOf("/v1/admin/me", yield* newToken(id, ["me.read"], expired)), 401)

      const credentials = [yield* newSession(id), yield* newToken(id, ["me.read"])]
      for (const one of credentials) assert.strictEqual(yield* statusOf("/v1/admin/me", one), 200)
      yield* sql`UPDATE staff SET role = 'support' WHERE id = ${id}`
      for (const one of credentials) assert.strictEqual(yield* statusOf("/v1/admin/me", one), 401)
      const others = [yield* newSession(id), yield* newToken(id, ["me.read"])]
      yield* sql`UPDATE staff SET disabled_at = 'epoch' WHERE id = ${id}`
      for (const one of others) assert.strictEqual(yield* statusOf("/v1/admin/me", one), 401)
      assert.strictEqual(yield* statusOf("/v1/admin/me", yield* newSession(id)), 401)
    })
  )

  it.effect("answers only the addresses of the token", () =>
    Effect.gen(function* () {
      const id = yield* newStaff("owner")
      const far = yield* newToken(id, ["me.read"], { allowed_ips: ["192.0.2.0/24"] })
      const near = yield* newToken(id, ["me.read"], { allowed_ips: ["127.0.0.1", "::1"] })
      assert.deepStrictEqual([yield* statusOf("/v1/admin/me", far), yield* statusOf("/v1/admin/me", near)], [403, 200])
    })
  )

  it.effect("is not open to pages of other origins, and keeps answers out of caches", () =>
    Effect.gen(function* () {
      const secret = yield* newSession(yield* newStaff("owner"))
      const answers = [
        yield* get("/v1/admin/me", secret, { origin: "https://evil.example" }),
        yield* get("/v1/admin/me", "none", { origin: "https://evil.example" }),
        yield* get("/v1/admin/unknown", secret),
        yield* request("OPTIONS", "/v1/admin/me", { headers: { origin: "https://evil.example" } }),
        yield* request("DELETE", "/v1/admin/me")
      ]
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 401, 404, 204, 405]
      )
      for (const { headers } of answers)
        assert.deepStrictEqual(
          Object.keys(headers).filter((name) => name.startsWith("access-control")),
          []
        )
      assert.strictEqual(answers[0]?.headers["cache-control"], "private, no-store")
      assert.strictEqual(answers[1]?.headers["www-authenticate"], "Bearer")
    })
  )

  it.effect("bounds every input", () =>
    Effect.gen(function* () {
      const secret = yield* newSession(yield* newStaff("owner"))
      for (const query of ["limit=0", "limit=101", "after=1", "user_id=x", "outcome=x", `action=${"a".repeat(101)}`])
        assert.strictEqual(yield* statusOf(`/v1/admin/audit?${query}`, secret), 422, query)
    })
  )

  it.effect("has a document of its own behind a credential, and leaves the public one alone", () =>
    Effect.gen(function* () {
      const secret = yield* newSession(yield* newStaff("viewer"))
      assert.strictEqual((yield* request("GET", "/v1/admin/openapi.json")).status, 401)
      const { body } = yield* get("/v1/admin/openapi.json", secret)
      assert.deepStrictEqual(body, JSON.parse(JSON.stringify(OpenApi.fromApi(AdminApi))))
      assert.isTrue(Object.keys(body.paths).every((path) => path.startsWith("/v1/admin/")))
      assert.notProperty(body, "webhooks")
      const shown = yield* request("GET", "/openapi.json")
      assert.deepStrictEqual(shown.body, JSON.parse(JSON.stringify(OpenApi.fromApi(Api))))
      assert.notInclude(JSON.stringify(shown.body), "admin")
    })
  )
})

layer(TestApp.layer({ ADMIN_ALLOWED_IPS: "192.0.2.0/24", AUTH_RATE_LIMIT_FACTOR: "1" }))("The admin API", (it) => {
  it.effect("answers only the addresses of the setting, and records the attempt", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual(yield* statusOf("/v1/admin/me", yield* newSession(yield* newStaff("owner"))), 403)
      assert.deepStrictEqual(yield* sql`SELECT outcome, reason FROM audit_event`, [
        { outcome: "refused", reason: "The address is not allowed" }
      ])
    })
  )

  it.effect("limits a credential, and strangers apart from it", () =>
    Effect.gen(function* () {
      const secret = yield* newToken(yield* newStaff("owner"), ["me.read"])
      for (let n = 0; n < 60; n++) yield* get("/v1/admin/me", secret)
      assert.strictEqual(yield* statusOf("/v1/admin/me", secret), 429)
      for (let n = 0; n < 60; n++) assert.strictEqual(yield* statusOf("/v1/admin/me", "none"), 401)
      assert.strictEqual(yield* statusOf("/v1/admin/me", "none"), 429)
    })
  )
})

/** An API of one operation. */
const apiOf = (endpoint: unknown) =>
  HttpApi.make("test").add(HttpApiGroup.make("test").add(endpoint as never)) as unknown as Parameters<typeof faultIn>[0]

layer(TestApp.layer())("An operation of the admin API", (it) => {
  it("does not start without a permission, nor moves money without a key", () => {
    const plain = HttpApiEndpoint.post("act", "/act")
    assert.strictEqual(faultIn(apiOf(plain)), "act names no permission")
    assert.isUndefined(faultIn(apiOf(plain.annotate(RequiredPermission, "me.read"))))
    const money = plain.annotate(RequiredPermission, "me.read").annotate(MovesMoney, true)
    assert.strictEqual(faultIn(apiOf(money)), "act takes no Idempotency-Key")
    const keyed = HttpApiEndpoint.post("act", "/act", { headers: StaffActionApi.headers })
      .annotate(RequiredPermission, "me.read")
      .annotate(MovesMoney, true)
    assert.isUndefined(faultIn(apiOf(keyed)))
    assert.isUndefined(faultIn(AdminApi as never))
  })
})
