import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as TestApp from "../support/TestApp.ts"
import { newUser } from "../support/Fixtures.ts"
import { request } from "../support/TestServer.ts"
import { newSession, newStaff } from "./StaffTesting.ts"

const call = (secret: string, method: "GET" | "POST", path: string, body?: object, key: string = randomUUID()) =>
  request(method, `/v1/admin/announcements${path}`, {
    headers: { authorization: `Bearer ${secret}`, "idempotency-key": key },
    ...(body !== undefined && { body })
  })

const given = Effect.fnUntraced(function* (fields: object = {}) {
  const now = yield* DateTime.now
  return {
    kind: "maintenance",
    title_en: "Maintenance on Sunday",
    body_en: "Proxies go on working.",
    audience: "all",
    by_banner: true,
    by_mail: true,
    starts_at: DateTime.formatIso(now),
    ends_at: DateTime.formatIso(DateTime.add(now, { hours: 2 })),
    ...fields
  }
})

layer(TestApp.layer())("Announcements by staff", (it) => {
  it.effect("are previewed, published once for a key, shown to everybody and ended, all on record", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const finance = yield* newSession(yield* newStaff("finance"))
      const user = yield* newUser
      yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${user}`
      const quiet = yield* request("GET", "/v1/status")
      assert.deepStrictEqual(quiet.body, { status: "ok", announcements: [] })

      const body = yield* given({ title_de: "Wartung am Sonntag", body_de: "Proxys arbeiten weiter." })
      const preview = yield* call(finance, "POST", "/preview", body)
      assert.deepStrictEqual(preview.body, { recipients: 1 })
      assert.lengthOf((yield* call(finance, "GET", "")).body.items, 0)

      const key = randomUUID()
      const published = yield* call(finance, "POST", "", body, key)
      assert.strictEqual(published.status, 201)
      assert.deepInclude(published.body, { id: key, mails: 0, published_by: "A finance", ended_at: null })
      const again = yield* call(finance, "POST", "", body, key)
      assert.deepStrictEqual(again.body, published.body)
      assert.strictEqual((yield* call(finance, "POST", "", { ...body, body_en: "Another" }, key)).status, 409)
      const { items } = (yield* call(finance, "GET", "")).body
      assert.deepStrictEqual(
        items.map(({ id }: any) => id),
        [key]
      )

      const status = yield* request("GET", "/v1/status")
      assert.strictEqual(status.body.status, "maintenance")
      assert.deepInclude(status.body.announcements[0], {
        id: key,
        kind: "maintenance",
        en: { title: "Maintenance on Sunday", body: "Proxies go on working." },
        de: { title: "Wartung am Sonntag", body: "Proxys arbeiten weiter." }
      })
      assert.notProperty(status.body.announcements[0], "published_by")

      const ended = yield* call(finance, "POST", `/${key}/end`, { reason: "The work is done" })
      assert.strictEqual(ended.body.end_reason, "The work is done")
      assert.strictEqual((yield* call(finance, "POST", `/${key}/end`, { reason: "Once more" })).status, 409)
      assert.strictEqual((yield* request("GET", "/v1/status")).body.status, "ok")
      const log = yield* sql<{ state: string; reason: string | null; title: string }>`
        SELECT after->>'state' AS state, after->>'title' AS title, reason FROM audit_event
        WHERE subject_kind = 'announcement' AND outcome = 'done' ORDER BY id`
      const title = "Maintenance on Sunday"
      assert.deepStrictEqual(log, [
        { state: "published", title, reason: null },
        { state: "ended", title, reason: "The work is done" }
      ])
    })
  )

  it.effect("are refused when a part is missing, the time is over, nobody is meant, or the role may only read", () =>
    Effect.gen(function* () {
      const finance = yield* newSession(yield* newStaff("finance"))
      const now = yield* DateTime.now
      const wrong = [
        [{ by_banner: false, by_mail: false }, 422],
        [{ title_de: "Nur ein Titel" }, 422],
        [{ ends_at: DateTime.formatIso(now) }, 422],
        [{ title_en: "a\nb" }, 422],
        [{ body_en: "x".repeat(4_001) }, 422],
        [{ audience: "provider", audience_id: "nobody" }, 404],
        [{ audience: "account", audience_id: randomUUID() }, 404]
      ] as const
      for (const [fields, status] of wrong) {
        const body = yield* given(fields)
        assert.strictEqual((yield* call(finance, "POST", "", body)).status, status, JSON.stringify(fields))
        assert.strictEqual((yield* call(finance, "POST", "/preview", body)).status, status, JSON.stringify(fields))
      }
      const support = yield* newSession(yield* newStaff("support"))
      assert.strictEqual((yield* call(support, "POST", "", yield* given())).status, 403)
      assert.strictEqual((yield* call(support, "GET", "")).status, 200)
    })
  )
})
