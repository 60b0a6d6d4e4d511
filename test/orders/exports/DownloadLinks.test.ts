import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHash, randomUUID } from "node:crypto"
import { newKey } from "../../contract/ContractTesting.ts"
import * as TestApp from "../../support/TestApp.ts"
import { request } from "../../support/TestServer.ts"
import { customer, newProxies } from "./ExportTesting.ts"

const create = (user: string, body: object = {}) =>
  request("POST", "/v1/download-links", { user, body: { name: "Crawler", ...body } })

const list = (user: string) => Effect.map(request("GET", "/v1/download-links", { user }), ({ body }) => body)

const download = (url: string) => request("GET", new URL(url).pathname)

const gone = { detail: "There is no such download; its link may be revoked", code: "NOT_FOUND" }

layer(TestApp.layer(), { excludeTestServices: true })("Download links", (it) => {
  it.effect("answer the present proxies of their filter, until they are revoked", () =>
    Effect.gen(function* () {
      const { user, user_id } = yield* customer
      yield* newProxies(user_id, [{ country: "DE" }, { country: "GB" }])
      const made = yield* create(user, { format: "txt", template: "{host} {country}", country: "de" })
      assert.strictEqual(made.status, 201)
      assert.strictEqual(made.headers["cache-control"], "private, no-store")
      const { url, ...shown } = made.body
      assert.match(url, /^http:\/\/localhost:8080\/v1\/downloads\/prd_[\w-]{43}$/)
      assert.deepStrictEqual(yield* list(user), { download_links: [shown], total: 1 })
      assert.deepInclude(shown, { name: "Crawler", country: "DE", q: null, last_used_at: null })

      const first = yield* download(url)
      assert.deepStrictEqual([first.status, first.body], [200, "192.0.2.1 DE\n"])
      assert.deepInclude(first.headers, {
        "cache-control": "private, no-store",
        "content-disposition": `attachment; filename="proxies.txt"`
      })
      yield* newProxies(user_id, [{ country: "DE", host: "192.0.2.9" }])
      assert.include((yield* download(url)).body, "192.0.2.9 DE\n")
      assert.isNotNull((yield* list(user)).download_links[0].last_used_at)

      const revoked = yield* request("DELETE", `/v1/download-links/${shown.id}`, { user })
      assert.strictEqual(revoked.status, 204)
      const after = yield* download(url)
      assert.deepStrictEqual([after.status, after.body], [404, gone])
      assert.strictEqual(after.headers["cache-control"], "private, no-store")
      assert.strictEqual((yield* request("DELETE", `/v1/download-links/${shown.id}`, { user })).status, 404)
    })
  )

  it.effect("are stored as a hash, and tell nothing about others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { user, user_id } = yield* customer
      const other = yield* customer
      yield* newProxies(user_id, [{}])
      const { body } = yield* create(user)
      const token = body.url.split("/").at(-1)
      const [row] = yield* sql`SELECT * FROM download_link WHERE id = ${body.id}`
      assert.strictEqual(row?.["token_hash"], createHash("sha256").update(token).digest("hex"))
      assert.notInclude(JSON.stringify(row), token)
      const stranger = yield* request("DELETE", `/v1/download-links/${body.id}`, { user: other.user })
      const unknown = yield* request("DELETE", `/v1/download-links/${randomUUID()}`, { user: other.user })
      assert.deepStrictEqual([stranger.status, stranger.body], [unknown.status, unknown.body])
      assert.strictEqual((yield* list(other.user)).total, 0)
      for (const wrong of [`prd_${"A".repeat(43)}`, token.slice(0, -1), row?.["token_hash"], "x", `${token}%00`])
        assert.deepStrictEqual((yield* download(`http://x/v1/downloads/${wrong}`)).body, gone)
      assert.strictEqual((yield* download(body.url)).status, 200)
      assert.strictEqual((yield* request("GET", "/v1/download-links", { key: yield* newKey(user) })).status, 401)
    })
  )

  it.effect("are at most 20 for an account, also when many are created at once", () =>
    Effect.gen(function* () {
      const { user } = yield* customer
      const made = yield* Effect.all(
        Array.from({ length: 23 }, () => create(user)),
        { concurrency: 8 }
      )
      const refused = made.filter(({ status }) => status === 409)
      assert.lengthOf(refused, 3)
      assert.deepStrictEqual(refused[0]?.body.details, { reason: "too_many_download_links" })
      assert.strictEqual((yield* list(user)).total, 20)
    })
  )

  it.effect("answer 10 times a minute, and leave the exports of their owner alone", () =>
    Effect.gen(function* () {
      const { user } = yield* customer
      const { body } = yield* create(user)
      const statuses = (yield* Effect.replicateEffect(download(body.url), 11)).map(({ status }) => status)
      assert.deepStrictEqual(statuses, [...Array(10).fill(200), 429])
      assert.strictEqual((yield* request("GET", "/v1/orders/export", { user })).status, 200)
    })
  )

  it.effect("end with their account, and with a reset of the password that takes it over", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const change of [
        "deleted_at = created_at, email = NULL, password_hash = NULL",
        "email_verified = true, password_hash = password_hash || 'A'"
      ]) {
        const { user, user_id } = yield* customer
        const { body } = yield* create(user)
        yield* sql`UPDATE user_account SET ${sql.literal(change)} WHERE id = ${user_id}`
        assert.deepStrictEqual((yield* download(body.url)).body, gone)
        assert.lengthOf(yield* sql`SELECT FROM download_link WHERE user_id = ${user_id}`, 0)
      }
      const { user, user_id } = yield* customer
      const { body } = yield* create(user)
      yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${user_id}`
      assert.strictEqual((yield* download(body.url)).status, 200, "a verified email ends nothing")
    })
  )

  it.effect("keep their rules in the database too", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { user } = yield* customer
      const { body } = yield* create(user)
      for (const wrong of [
        "format = 'xml'",
        "name = ''",
        "template = 'x', format = 'csv'",
        "country = 'de'",
        "sort = 'id'"
      ]) {
        const refused = yield* Effect.flip(sql`UPDATE download_link SET ${sql.literal(wrong)} WHERE id = ${body.id}`)
        assert.strictEqual(refused.reason._tag, "ConstraintError", wrong)
      }
    })
  )
})
