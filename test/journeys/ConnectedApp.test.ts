import { assert, layer } from "@effect/vitest"
import { Effect, Option, Ref } from "effect"
import * as EmailDelivery from "../../src/accounts/mail/EmailDelivery.ts"
import { CredentialsRepo } from "../../src/accounts/CredentialsRepo.ts"
import { EmailOutboxRepo } from "../../src/accounts/mail/EmailOutboxRepo.ts"
import { EmailTokensRepo } from "../../src/accounts/EmailTokensRepo.ts"
import { AccessTokenVerifier } from "../../src/oauth/AccessTokenVerifier.ts"
import { SentMail } from "../../src/platform/mail/Mailer.ts"
import { http, password } from "../dashboard/PagesTesting.ts"
import { connected, post, soon } from "../oauth/attacks/AttackTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"

type Connected = Effect.Success<ReturnType<typeof connected>>

const another = "another correct horse"

/** The token of the mail that resets the password at this address; other mails may arrive with it. */
const resetToken = Effect.fnUntraced(function* (email: string) {
  yield* EmailDelivery.run.pipe(Effect.provide([CredentialsRepo.layer, EmailOutboxRepo.layer, EmailTokensRepo.layer]))
  const mail = yield* Effect.flatMap(SentMail, Ref.get)
  return /^ {2}([\w-]{43})$/m.exec(
    mail.findLast(({ subject, to }) => to === email && /reset/i.test(subject))?.text ?? ""
  )?.[1]
})

const refresh = ({ client, refresh_token }: Connected) =>
  post("/oauth/token", { grant_type: "refresh_token", client_id: client.client_id, refresh_token })

const disconnect = Effect.fnUntraced(function* ({ account: { token: user } }: Connected) {
  const { body } = yield* request("GET", "/v1/users/me/connections", { user })
  return yield* request("DELETE", `/v1/users/me/connections/${body.connections[0].id}`, { user })
})

const reset = Effect.fnUntraced(function* ({ account: { email } }: Connected) {
  yield* request("POST", "/v1/auth/password/forgot", { body: { email } })
  const token = yield* resetToken(email)
  return yield* request("POST", "/v1/auth/password/reset", { body: { token, new_password: another } })
})

const ends = [
  [
    "disconnects it in the dashboard",
    ({ browser }: Connected) =>
      Effect.andThen(browser.open(`${http}/app/connections`), browser.submit({}, { action: "/revoke" }))
  ],
  ["disconnects it by the API", disconnect],
  [
    "changes the password",
    ({ account: { token: user } }: Connected) =>
      request("POST", "/v1/auth/password", { user, body: { current_password: password, new_password: another } })
  ],
  ["resets the password", reset],
  [
    "signs out everywhere",
    ({ account: { token: user } }: Connected) => request("POST", "/v1/auth/logout-all", { user })
  ],
  [
    "deletes the account",
    ({ account: { token: user } }: Connected) => request("DELETE", "/v1/users/me", { user, body: { password } })
  ],
  [
    "lets the app end it",
    ({ access_token, client }: Connected) => post("/oauth/revoke", { client_id: client.client_id, token: access_token })
  ]
] as const

layer(TestApp.layer(), { excludeTestServices: true })("A person who connected an app", (it) => {
  it.effect.each(ends)("%s: the tokens no longer work", ([, end]) =>
    Effect.gen(function* () {
      const app = yield* connected()
      const verified = AccessTokenVerifier.use(({ verify }) => verify(app.access_token))
      const before = yield* verified
      assert.deepInclude(Option.getOrThrow(before), { user_id: app.account.id, client_id: app.client.client_id })
      const { status } = yield* end(app)
      assert.isBelow(status, 300)
      const refreshed = yield* refresh(app)
      assert.deepStrictEqual([refreshed.status, refreshed.body.error], [400, "invalid_grant"])
      assert.isTrue(Option.isNone(yield* soon(verified, Option.isNone)))
    })
  )
})
