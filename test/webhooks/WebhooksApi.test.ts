import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { held, waiting } from "../support/Locks.ts"
import * as TestApp from "../support/TestApp.ts"
import { ask, createEndpoint, newOwner, record, statusesAt, url } from "./WebhooksTesting.ts"

const conflict = (reason: string) => ({ status: 409, reason })
const outcome = ({ body, status }: { status: number; body: any }) =>
  status === 409 ? conflict(body.details.reason) : { status }

const faultsOf = ({ body, status }: { status: number; body: any }) => [
  status,
  ...body.detail.map(({ loc, type }: any) => `${loc.join(".")} ${type}`)
]

/** The part of an endpoint's health about the warning. */
const fail = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const at = new Date("2026-01-01T00:00:00.000Z")
  yield* sql`UPDATE webhook_endpoint SET failing_since = ${at}, failure_warned_at = ${at} WHERE id = ${id}`
})

const healthOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`SELECT failing_since, failure_warned_at FROM webhook_endpoint WHERE id = ${id}`
  return Object.values(row ?? {}).map((value) => value !== null)
})

const wrongUrls = [
  "",
  7,
  "example.com",
  "ftp://example.com/hook",
  "http://example.com/hook",
  "https://user:password@example.com/hook",
  "https://user@example.com/hook",
  `https://example.com/${"a".repeat(2029)}`,
  "https://example.com/\u0000",
  "https://exa mple.com/",
  "https://localhost/hook",
  "https://127.0.0.1/hook",
  "https://2130706433/hook",
  "https://10.1.2.3/hook",
  "https://169.254.169.254/latest/meta-data",
  "https://[::1]/hook",
  "https://[::ffff:10.0.0.1]/hook",
  "https://private.test/hook",
  "https://mixed.test/hook",
  "https://nowhere.test/hook"
]

layer(TestApp.layer(), { excludeTestServices: true })("Webhook endpoints", (it) => {
  it.effect("an endpoint is created enabled; its secret is answered once and never cached", () =>
    Effect.gen(function* () {
      const { key, user_id } = yield* newOwner
      const { body, headers, status } = yield* ask(key)("POST", "", { url, colour: "ignored" })
      const { signing_secret, ...shown } = body
      assert.deepStrictEqual([status, headers["cache-control"]], [201, "private, no-store"])
      assert.match(signing_secret, /^whsec_[0-9a-f]{64}$/)
      assert.deepInclude(shown, {
        user_id,
        event_type: "proxy.status_changed",
        url,
        enabled: true,
        secret_preview: `${signing_secret.slice(0, 12)}...${signing_secret.slice(-6)}`,
        last_test_at: null,
        last_delivery_at: null,
        failing_since: null
      })
      assert.deepStrictEqual((yield* ask(key)("GET", `/${shown.id}`)).body, shown)
      assert.deepStrictEqual((yield* ask(key)("GET", "")).body, { webhooks: [shown], total: 1, limit: 50, offset: 0 })
    })
  )

  it.effect("an account may have several endpoints, newest first, one of them enabled", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const first = yield* createEndpoint(key)
      assert.deepStrictEqual(
        outcome(yield* ask(key)("POST", "", { url, enabled: true })),
        conflict("endpoint_already_enabled")
      )
      const second = yield* createEndpoint(key, { enabled: false })
      const enable = ask(key)("PATCH", `/${second.id}`, { enabled: true })
      assert.deepStrictEqual(outcome(yield* enable), conflict("endpoint_already_enabled"))
      assert.isFalse((yield* ask(key)("GET", `/${second.id}`)).body.enabled)
      assert.isFalse((yield* ask(key)("PATCH", `/${first.id}`, { enabled: false })).body.enabled)
      assert.isTrue((yield* enable).body.enabled)
      const { body } = yield* ask(key)("GET", "?limit=1&offset=1")
      assert.deepStrictEqual([body.total, body.webhooks.map(({ id }: any) => id)], [2, [first.id]])
    })
  )

  it.effect("of many endpoints created or enabled concurrently one is enabled", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const created = yield* Effect.forEach([1, 2, 3, 4], () => ask(key)("POST", "", { url }), { concurrency: 4 })
      assert.deepStrictEqual(created.map(({ status }) => status).toSorted(), [201, 409, 409, 409])
      const [enabled] = created.flatMap(({ body }) => (body.id === undefined ? [] : [body.id as string]))
      yield* ask(key)("PATCH", `/${enabled}`, { enabled: false })
      const others = yield* Effect.forEach([1, 2, 3], () => createEndpoint(key, { enabled: false }))
      const changed = yield* Effect.forEach(others, ({ id }) => ask(key)("PATCH", `/${id}`, { enabled: true }), {
        concurrency: 3
      })
      assert.deepStrictEqual(changed.map(({ status }) => status).toSorted(), [200, 409, 409])
    })
  )

  it.effect("an account has at most 20 endpoints, also when it creates them concurrently", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const answers = yield* Effect.forEach(
        Array.from({ length: 24 }),
        () => ask(key)("POST", "", { url, enabled: false }),
        { concurrency: 8 }
      )
      const reasons = answers.filter(({ status }) => status !== 201).map(outcome)
      assert.deepStrictEqual(
        reasons,
        Array.from({ length: 4 }, () => conflict("too_many_endpoints"))
      )
      assert.strictEqual((yield* ask(key)("GET", "")).body.total, 20)
    })
  )

  it.effect("a URL that is not https or not public gets 422, at creation and at a change", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const endpoint = yield* createEndpoint(key)
      for (const wrong of wrongUrls)
        for (const answer of [
          yield* ask(key)("POST", "", { url: wrong, enabled: false }),
          yield* ask(key)("PATCH", `/${endpoint.id}`, { url: wrong })
        ]) {
          const type = typeof wrong === "string" ? "value_error" : "type_error"
          assert.deepStrictEqual(faultsOf(answer), [422, `body.url ${type}`], String(wrong))
        }
      assert.deepStrictEqual(faultsOf(yield* ask(key)("POST", "", {})), [422, "body.url missing"])
      assert.deepStrictEqual(faultsOf(yield* ask(key)("POST", "", { url: null })), [422, "body.url type_error"])
      assert.strictEqual((yield* ask(key)("PATCH", `/${endpoint.id}`, { url: null, enabled: null })).status, 200)
      for (const [method, path] of [
        ["POST", ""],
        ["PATCH", `/${endpoint.id}`]
      ] as const)
        assert.deepStrictEqual(faultsOf(yield* ask(key)(method, path, { url, enabled: "yes" })), [
          422,
          "body.enabled type_error"
        ])
      assert.strictEqual((yield* ask(key)("GET", `/${endpoint.id}`)).body.url, url)
    })
  )

  it.effect("the host is looked up only for the owner's endpoint, and only for another URL", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const { key: stranger } = yield* newOwner
      const { id } = yield* createEndpoint(key)
      const change = { url: "https://nowhere.test/hook", enabled: false }
      assert.deepStrictEqual(outcome(yield* ask(stranger)("PATCH", `/${id}`, change)), { status: 404 })
      assert.deepStrictEqual(outcome(yield* ask(key)("PATCH", `/${randomUUID()}`, change)), { status: 404 })
      assert.deepStrictEqual(outcome(yield* ask(key)("PATCH", `/${id}`, change)), { status: 422 })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE webhook_endpoint SET url = ${change.url} WHERE id = ${id}`
      assert.deepInclude((yield* ask(key)("PATCH", `/${id}`, change)).body, change)
    })
  )

  it.effect("a change without effect changes nothing", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const { signing_secret: _, ...endpoint } = yield* createEndpoint(key)
      yield* fail(endpoint.id)
      for (const change of [{}, { url }, { enabled: true }, { url, enabled: true, colour: "red" }]) {
        const { body, status } = yield* ask(key)("PATCH", `/${endpoint.id}`, change)
        assert.deepStrictEqual([status, body], [200, { ...endpoint, failing_since: "2026-01-01T00:00:00.000Z" }])
      }
      assert.deepStrictEqual(yield* healthOf(endpoint.id), [true, true])
    })
  )

  it.effect("enabling an endpoint or changing its URL clears its failures", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const { id, updated_at } = yield* createEndpoint(key)
      yield* fail(id)
      yield* SqlClient.SqlClient.use(
        (sql) => sql`UPDATE webhook_endpoint SET updated_at = updated_at - interval '1 second' WHERE id = ${id}`
      )
      const moved = yield* ask(key)("PATCH", `/${id}`, { url: `${url}/other` })
      assert.deepInclude(moved.body, { url: `${url}/other`, enabled: true, failing_since: null })
      assert.isAtLeast(Date.parse(moved.body.updated_at), Date.parse(updated_at))
      assert.deepStrictEqual(yield* healthOf(id), [false, false])
      yield* fail(id)
      yield* ask(key)("PATCH", `/${id}`, { enabled: false })
      assert.deepStrictEqual(yield* healthOf(id), [true, true])
      yield* ask(key)("PATCH", `/${id}`, { enabled: true })
      assert.deepStrictEqual(yield* healthOf(id), [false, false])
    })
  )

  it.effect("disabling cancels the pending deliveries of this endpoint only", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const endpoint = yield* createEndpoint(key)
      const other = yield* createEndpoint((yield* newOwner).key)
      for (const [minute, status] of ["delivered", "pending", "abandoned", "pending"].entries())
        yield* record(endpoint, { minute, status })
      yield* record(other, { status: "pending" })
      yield* ask(key)("PATCH", `/${endpoint.id}`, { url: `${url}/other` })
      assert.include(yield* statusesAt(endpoint.id), "pending")
      yield* ask(key)("PATCH", `/${endpoint.id}`, { enabled: false })
      assert.deepStrictEqual(yield* statusesAt(endpoint.id), ["delivered", "cancelled", "abandoned", "cancelled"])
      assert.deepStrictEqual(yield* statusesAt(other.id), ["pending"])
    })
  )

  it.effect("disabling cancels an event that is recorded at the same moment", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const endpoint = yield* createEndpoint(key)
      const recording = yield* held(record(endpoint, { status: "pending" }))
      const disabling = yield* Effect.forkChild(ask(key)("PATCH", `/${endpoint.id}`, { enabled: false }))
      yield* waiting(1)
      yield* recording.open
      yield* Fiber.join(recording.running)
      assert.strictEqual((yield* Fiber.join(disabling)).status, 200)
      assert.deepStrictEqual(yield* statusesAt(endpoint.id), ["cancelled"])
    })
  )

  it.effect("deleting an endpoint deletes its deliveries; then another may be enabled", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const endpoint = yield* createEndpoint(key)
      yield* record(endpoint, { status: "pending" })
      const deleted = yield* ask(key)("DELETE", `/${endpoint.id}`)
      assert.deepStrictEqual([deleted.status, deleted.body], [204, null])
      assert.deepStrictEqual(yield* statusesAt(endpoint.id), [])
      assert.deepStrictEqual(outcome(yield* ask(key)("DELETE", `/${endpoint.id}`)), { status: 404 })
      assert.deepStrictEqual(outcome(yield* ask(key)("POST", "", { url })), { status: 201 })
    })
  )

  it.effect("a rotation replaces the secret", () =>
    Effect.gen(function* () {
      const { key } = yield* newOwner
      const before = yield* createEndpoint(key)
      const { body, headers, status } = yield* ask(key)("POST", `/${before.id}/rotate-secret`)
      const { signing_secret, ...shown } = body
      assert.deepStrictEqual([status, headers["cache-control"]], [200, "private, no-store"])
      assert.match(signing_secret, /^whsec_[0-9a-f]{64}$/)
      assert.notStrictEqual(signing_secret, before.signing_secret)
      assert.strictEqual(shown.secret_preview, `${signing_secret.slice(0, 12)}...${signing_secret.slice(-6)}`)
      assert.deepStrictEqual((yield* ask(key)("GET", `/${before.id}`)).body, shown)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(
        yield* sql`SELECT signing_secret, previous_secret FROM webhook_endpoint WHERE id = ${before.id}`,
        [{ signing_secret, previous_secret: before.signing_secret }]
      )
    })
  )
})
