import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { CredentialsRepo } from "../../src/accounts/CredentialsRepo.ts"
import { EmailTokensRepo } from "../../src/accounts/EmailTokensRepo.ts"
import { EmailOutboxRepo } from "../../src/accounts/mail/EmailOutboxRepo.ts"
import * as EmailDelivery from "../../src/accounts/mail/EmailDelivery.ts"
import { household } from "../dashboard/FormTesting.ts"
import { signedIn } from "../dashboard/DeskTesting.ts"
import { http, password } from "../dashboard/PagesTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { newUser } from "../support/Fixtures.ts"
import { request } from "../support/TestServer.ts"
import { newSession, newStaff, newToken } from "./StaffTesting.ts"

const call = (secret: string, method: "GET" | "POST", path: string, body?: object, key: string = randomUUID()) =>
  request(method, `/v1/admin/customers/${path}`, {
    headers: { authorization: `Bearer ${secret}`, "idempotency-key": key },
    ...(body !== undefined && { body })
  })

const reason = "Asked for by mail"

const events = (user_id: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql<{ action: string; reason: string | null }>`
      SELECT action, reason FROM audit_event WHERE user_id = ${user_id} AND outcome = 'done' ORDER BY id`
  )

layer(TestApp.layerSandbox, { timeout: "2 minutes" })("Care for a customer", (it) => {
  it.effect("keeps notes as they were written, for staff only, until the account is erased", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const support = yield* newSession(yield* newStaff("support"))
      const viewer = yield* newSession(yield* newStaff("viewer"))
      const user = yield* newUser
      const key = randomUUID()
      const written = yield* call(support, "POST", `${user}/notes`, { text: "Called <b>twice</b>" }, key)
      assert.strictEqual(written.status, 201)
      assert.deepInclude(written.body, { text: "Called <b>twice</b>", written_by: "A support" })
      const again = yield* call(support, "POST", `${user}/notes`, { text: "Called <b>twice</b>" }, key)
      assert.deepStrictEqual(again.body, written.body)
      const { items } = (yield* call(viewer, "GET", `${user}/notes`)).body
      assert.deepStrictEqual(items, [written.body])
      assert.strictEqual((yield* call(viewer, "POST", `${user}/notes`, { text: "x" })).status, 403)
      assert.strictEqual((yield* call(support, "POST", `${randomUUID()}/notes`, { text: "x" })).status, 404)
      assert.strictEqual((yield* call(support, "POST", `${user}/notes`, { text: "x".repeat(2_001) })).status, 422)
      for (const change of [
        sql`UPDATE customer_note SET text = 'other' WHERE user_id = ${user}`,
        sql`DELETE FROM customer_note WHERE user_id = ${user}`,
        sql`TRUNCATE customer_note`
      ])
        assert.strictEqual((yield* Effect.exit(change))._tag, "Failure")
      assert.deepStrictEqual(yield* events(user), [{ action: "customer.note", reason: null }])
    })
  )

  it.effect("shows the mails, masked to viewers, and sends the verification mail again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const support = yield* newSession(yield* newStaff("support"))
      const viewer = yield* newSession(yield* newStaff("viewer"))
      const user = yield* newUser
      assert.strictEqual((yield* call(support, "POST", `${user}/resend-verification`)).status, 200)
      const mails = Effect.map(call(support, "GET", `${user}/mails`), ({ body }) => body.items)
      const mail = { kind: "email_verification", subject: null, to_address: `${user}@example.com` }
      assert.deepInclude((yield* mails)[0], { ...mail, status: "queued", settled_at: null })
      yield* Effect.provide(EmailDelivery.run, [EmailOutboxRepo.layer, EmailTokensRepo.layer, CredentialsRepo.layer])
      assert.deepInclude((yield* mails)[0], { ...mail, status: "delivered" })
      const masked = (yield* call(viewer, "GET", `${user}/mails`)).body.items[0]
      assert.strictEqual(masked.to_address, `${user[0]}***@example.com`)
      yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${user}`
      assert.strictEqual((yield* call(support, "POST", `${user}/resend-verification`)).status, 409)
      yield* sql`UPDATE user_account SET email = NULL, email_verified = false, is_anonymous = true WHERE id = ${user}`
      const none = yield* call(support, "POST", `${user}/resend-verification`)
      assert.strictEqual(none.body.details.reason, "no_email")
    })
  )

  it.effect("ends all sessions of a customer at once", () =>
    Effect.gen(function* () {
      const support = yield* newSession(yield* newStaff("support"))
      const { account, browser, user_id } = yield* signedIn
      assert.strictEqual((yield* request("GET", "/v1/users/me", { user: account.token })).status, 200)
      assert.strictEqual((yield* call(support, "POST", `${user_id}/end-sessions`, { reason })).status, 200)
      assert.strictEqual((yield* request("GET", "/v1/users/me", { user: account.token })).status, 401)
      assert.include((yield* browser.open(`${http}/app/account`)).url, "sign-in")
      assert.deepStrictEqual(yield* events(user_id), [{ action: "customer.help", reason }])
    })
  )

  it.effect("exports the file of the customer, with a fresh confirmation", () =>
    Effect.gen(function* () {
      const owner = yield* newStaff("owner")
      const { browser, user_id } = yield* household
      yield* browser.open(`${http}/app/account/export`)
      const own = JSON.parse((yield* browser.submit({ password })).text)
      const file = yield* call(yield* newSession(owner), "POST", `${user_id}/export`, { reason })
      assert.strictEqual(file.status, 200)
      assert.strictEqual(file.headers["content-disposition"], 'attachment; filename="account.json"')
      assert.sameMembers(Object.keys(file.body), Object.keys(own))
      for (const list of ["profile", "orders", "transactions", "api_keys", "mails"])
        assert.deepStrictEqual(file.body[list], own[list], list)
      const token = yield* newToken(owner, ["customer.export", "customer.erase"])
      for (const what of ["export", "erase"]) {
        const refused = yield* call(token, "POST", `${user_id}/${what}`, { reason })
        assert.deepInclude(refused.body.details, { reason: "step_up_needed" })
      }
      const stale = yield* newSession(owner, { confirmed_at: new Date(-600_000) })
      assert.strictEqual((yield* call(stale, "POST", `${user_id}/export`, { reason })).status, 403)
      assert.deepStrictEqual(yield* events(user_id), [{ action: "customer.export", reason }])
    })
  )

  it.effect("erases a customer as the owner would, with notes and mails, once for a key", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owner = yield* newSession(yield* newStaff("owner"))
      const { account, user_id } = yield* signedIn
      yield* call(owner, "POST", `${user_id}/notes`, { text: "Lives at the harbour" })
      const restricted = yield* call(owner, "POST", `${user_id}/restrictions`, {
        preset: "hold",
        reason_code: "fraud",
        internal_reason: "Card testing",
        public_reason: "Ask us."
      })
      const refused = yield* call(owner, "POST", `${user_id}/erase`, { reason })
      assert.strictEqual(refused.body.details.reason, "account_restricted")
      yield* request("POST", `/v1/admin/restrictions/${restricted.body.id}/lift`, {
        headers: { authorization: `Bearer ${owner}`, "idempotency-key": randomUUID() },
        body: { reason: "Settled" }
      })
      const key = randomUUID()
      const erased = yield* call(owner, "POST", `${user_id}/erase`, { reason }, key)
      assert.strictEqual(erased.status, 200)
      assert.deepStrictEqual((yield* call(owner, "POST", `${user_id}/erase`, { reason }, key)).body, erased.body)
      assert.strictEqual((yield* call(owner, "POST", `${user_id}/erase`, { reason })).status, 404)
      assert.strictEqual((yield* request("GET", "/v1/users/me", { user: account.token })).status, 401)
      const [left] = yield* sql`
        SELECT email, name, deleted_at IS NOT NULL AS is_deleted,
          (SELECT count(*)::int FROM customer_note n WHERE n.user_id = a.id) AS notes,
          (SELECT count(*)::int FROM mail_log m WHERE m.user_id = a.id) AS mails,
          (SELECT count(*)::int FROM staff_action WHERE answer::text LIKE '%harbour%') AS answers
        FROM user_account a WHERE id = ${user_id}`
      assert.deepStrictEqual(left, { email: null, name: null, is_deleted: true, notes: 0, mails: 0, answers: 0 })
    })
  )
})
