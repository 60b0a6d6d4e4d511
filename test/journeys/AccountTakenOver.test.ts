import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Ref } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { CredentialsRepo } from "../../src/accounts/CredentialsRepo.ts"
import * as EmailDelivery from "../../src/accounts/mail/EmailDelivery.ts"
import { EmailOutboxRepo } from "../../src/accounts/mail/EmailOutboxRepo.ts"
import { EmailTokensRepo } from "../../src/accounts/EmailTokensRepo.ts"
import { UserId } from "../../src/accounts/User.ts"
import { SentMail } from "../../src/platform/mail/Mailer.ts"
import { atConsent, authorizationResponse, http, newAccount, password, redeem } from "../dashboard/PagesTesting.ts"
import { held, waiting } from "../support/Locks.ts"
import * as OrderRows from "../support/OrderRows.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"

const newPassword = "a better password"

/** The token in the newest mail to this address with this subject. */
const mailedToken = Effect.fnUntraced(function* (address: string, subject: string) {
  yield* EmailDelivery.run.pipe(Effect.provide([CredentialsRepo.layer, EmailOutboxRepo.layer, EmailTokensRepo.layer]))
  const sent = yield* Ref.get(yield* SentMail)
  const mail = sent.filter((mail) => mail.to === address && mail.subject === subject).at(-1)
  return /^ {2}([\w-]{43})$/m.exec(mail?.text ?? "")?.[1] ?? "no token was mailed"
})

const resetByMail = Effect.fnUntraced(function* (email: string) {
  yield* request("POST", "/v1/auth/password/forgot", { body: { email } })
  const body = { token: yield* mailedToken(email, "Reset your password"), new_password: newPassword }
  assert.strictEqual((yield* request("POST", "/v1/auth/password/reset", { body })).status, 204)
  return (yield* request("POST", "/v1/auth/login", { body: { email, password: newPassword } })).body.access_token
})

/** Everything that a stranger can leave behind in an account to act for them later. */
const settledIn = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  const { account, browser, client } = yield* atConsent({ scopes: ["account:read", "orders:write"] })
  const { code = "" } = authorizationResponse(yield* browser.submit({ decision: "approve", orders_write: "on" }))
  const { body: tokens } = yield* redeem(client, code)
  const { body: key } = yield* request("POST", "/v1/api-keys", { user: account.token, body: { name: "spy" } })
  const { body: hook } = yield* request("POST", "/v1/webhooks", {
    user: account.token,
    body: { url: "https://hooks.example.com/" }
  })
  yield* OrderRows.offer
  const order = OrderRows.paidOrder(randomUUID(), UserId.make(account.id), yield* DateTime.now)
  yield* sql`INSERT INTO proxy_order ${sql.insert({ ...order, auto_renew: true })}`
  const referrer = yield* newAccount
  yield* sql`UPDATE user_account SET referred_by = ${referrer.id} WHERE id = ${account.id}`
  return { account, browser, hook, key: key.key as string, order_id: order.id, tokens }
})

const status = (asked: ReturnType<typeof request>) => Effect.map(asked, ({ status }) => status)

/** The parts of the stranger's set-up that still work. */
const left = Effect.fnUntraced(function* ({
  account,
  browser,
  hook,
  key,
  order_id,
  owner,
  tokens
}: Effect.Success<ReturnType<typeof settledIn>> & { readonly owner: string }) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ auto_renew: boolean }>`SELECT auto_renew FROM proxy_order WHERE id = ${order_id}`
  const [user] = yield* sql<{ referred_by: string | null }>`
    SELECT referred_by FROM user_account WHERE id = ${account.id}
  `
  return {
    session: yield* status(request("GET", "/v1/users/me", { user: account.token })),
    browser: new URL((yield* browser.open(`${http}/app/connections`)).url).pathname,
    apiKey: yield* status(request("GET", "/v1/users/me", { key })),
    tool: yield* status(
      request("POST", "/mcp", {
        headers: { authorization: `Bearer ${tokens.access_token}`, accept: "application/json, text/event-stream" },
        body: { jsonrpc: "2.0", id: 1, method: "ping" }
      })
    ),
    webhook: yield* status(request("GET", `/v1/webhooks/${hook.id}`, { user: owner })),
    connections: (yield* request("GET", "/v1/users/me/connections", { user: owner })).body.total,
    renews: row?.auto_renew,
    isReferred: user?.referred_by !== null
  }
})

layer(TestApp.layer(), { excludeTestServices: true })("a password reset by mail", (it) => {
  it.effect("ends everything that a stranger set up after registering with somebody else's address", () =>
    Effect.gen(function* () {
      const stranger = yield* settledIn()
      const owner = yield* resetByMail(stranger.account.email)
      assert.deepStrictEqual(yield* left({ ...stranger, owner }), {
        session: 401,
        browser: "/app/sign-in",
        apiKey: 401,
        tool: 401,
        webhook: 404,
        connections: 0,
        renews: false,
        isReferred: false
      })
      const again = { email: stranger.account.email, password }
      assert.strictEqual((yield* request("POST", "/v1/auth/login", { body: again })).status, 401)
    })
  )

  it.effect("leaves nothing to requests that were authenticated before it and waited for it", () =>
    Effect.gen(function* () {
      const { account, key } = yield* settledIn()
      // The credentials count as recently used, so the next request waits only where it creates something.
      yield* request("GET", "/v1/users/me", { key })
      const sql = yield* SqlClient.SqlClient
      const credentials = yield* CredentialsRepo
      const owner = UserId.make(account.id)
      const resetting = yield* held(
        Effect.gen(function* () {
          yield* credentials.resetPassword(owner, "$argon2id$another", yield* DateTime.now)
          yield* sql`DELETE FROM user_session WHERE user_id = ${owner}`
        })
      )
      const endpoint = { url: "https://hooks.example.com/again", enabled: false }
      const late = yield* Effect.forkChild(
        Effect.all(
          [
            request("POST", "/v1/api-keys", { user: account.token, body: { name: "late" } }),
            request("POST", "/v1/webhooks", { user: account.token, body: endpoint }),
            request("POST", "/rpc", {
              headers: { "x-api-key": key },
              body: { _tag: "Request", id: "1", tag: "create_webhook", payload: endpoint }
            })
          ],
          { concurrency: "unbounded" }
        )
      )
      yield* waiting(3)
      yield* resetting.open
      yield* Fiber.join(resetting.running)
      const answers = yield* Fiber.join(late)
      assert.deepStrictEqual(
        answers.slice(0, 2).map(({ body, headers, status }) => [status, body.code, headers["www-authenticate"]]),
        Array.from({ length: 2 }, () => [401, "UNAUTHORIZED", "Bearer"])
      )
      assert.include(JSON.stringify(answers[2]?.body), `"status":401`)
      const [left] = yield* sql<{ count: number }>`
        SELECT (SELECT count(*) FROM api_key WHERE user_id = ${owner})::int
          + (SELECT count(*) FROM webhook_endpoint WHERE user_id = ${owner})::int AS count
      `
      assert.strictEqual(left?.count, 0)
    }).pipe(Effect.provide(CredentialsRepo.layer))
  )

  it.effect("keeps the keys, endpoints and renewals of an account whose address was verified before", () =>
    Effect.gen(function* () {
      const settled = yield* settledIn()
      const token = yield* mailedToken(settled.account.email, "Verify your email")
      yield* request("POST", "/v1/auth/email/verify", { body: { token } })
      const owner = yield* resetByMail(settled.account.email)
      assert.deepInclude(yield* left({ ...settled, owner }), {
        session: 401,
        apiKey: 200,
        webhook: 200,
        connections: 0,
        renews: true,
        isReferred: true
      })
    })
  )

  it.effect("changes nothing else when an owner only changes the password", () =>
    Effect.gen(function* () {
      const settled = yield* settledIn()
      const owner = settled.account.token
      const body = { current_password: password, new_password: newPassword }
      assert.strictEqual((yield* request("POST", "/v1/auth/password", { user: owner, body })).status, 204)
      assert.deepInclude(yield* left({ ...settled, owner }), { apiKey: 200, webhook: 200, renews: true })
    })
  )
})
