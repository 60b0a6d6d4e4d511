import { ConfigProvider, Effect, Layer, Ref, Schema } from "effect"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ApiKeysApi } from "../../src/accounts/api-keys/ApiKeysApi.ts"
import * as ApiKeysHttp from "../../src/accounts/api-keys/ApiKeysHttp.ts"
import { AuthApi } from "../../src/accounts/sign-in/AuthApi.ts"
import { Authentication, RequiredScope } from "../../src/accounts/Authentication.ts"
import * as AuthenticationHttp from "../../src/accounts/authentication/AuthenticationHttp.ts"
import * as AuthHttp from "../../src/accounts/sign-in/AuthHttp.ts"
import { Caller } from "../../src/accounts/Caller.ts"
import { CredentialsRepo } from "../../src/accounts/CredentialsRepo.ts"
import * as EmailDelivery from "../../src/accounts/mail/EmailDelivery.ts"
import { EmailOutboxRepo } from "../../src/accounts/mail/EmailOutboxRepo.ts"
import { EmailTokensRepo } from "../../src/accounts/EmailTokensRepo.ts"
import { ProfileApi } from "../../src/accounts/users/ProfileApi.ts"
import * as ProfileHttp from "../../src/accounts/users/ProfileHttp.ts"
import { SecondFactorApi } from "../../src/accounts/second-factor/SecondFactorApi.ts"
import * as SecondFactorHttp from "../../src/accounts/second-factor/SecondFactorHttp.ts"
import { SessionApi } from "../../src/accounts/sign-in/SessionApi.ts"
import * as SessionHttp from "../../src/accounts/sign-in/SessionHttp.ts"
import { SessionsApi } from "../../src/accounts/sessions/SessionsApi.ts"
import * as SessionsHttp from "../../src/accounts/sessions/SessionsHttp.ts"
import { SigningKeys } from "../../src/accounts/sessions/SigningKeys.ts"
import { UsersApi } from "../../src/accounts/users/UsersApi.ts"
import * as UsersHttp from "../../src/accounts/users/UsersHttp.ts"
import { RequestValidation } from "../../src/http/RequestValidation.ts"
import { Addresses } from "../../src/platform/settings/Addresses.ts"
import { Mailer, SentMail } from "../../src/platform/mail/Mailer.ts"
import { RateLimit } from "../../src/platform/requests/RateLimit.ts"
import * as Services from "../../src/Services.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { layerWith, request } from "../support/TestServer.ts"
import * as TestCrypto from "../support/TestCrypto.ts"

/** Stands in for the operations of other folders. */
class ProbeApi extends HttpApiGroup.make("probe")
  .add(
    HttpApiEndpoint.post("ordersRead", "/probe/orders-read", {
      payload: Schema.Struct({ n: Schema.Int }),
      success: Schema.Struct({ caller: Schema.String, limit: Schema.String })
    }).annotate(RequiredScope, "orders:read"),
    HttpApiEndpoint.post("fullAccess", "/probe/full-access")
  )
  .middleware(Authentication) {}

const api = HttpApi.make("proxy-rental")
  .add(AuthApi, SessionApi, SessionsApi, ProfileApi, UsersApi, ApiKeysApi, SecondFactorApi)
  .prefix("/v1")
  .add(ProbeApi)
  .middleware(RequestValidation)

const probe = HttpApiBuilder.group(api, "probe", (handlers) =>
  handlers.handleAll({
    ordersRead: () =>
      Effect.map(Caller, ({ credential, user_id }) => ({
        caller: user_id,
        limit: credential._tag === "api_key" ? String(credential.daily_spend_limit_usd) : credential._tag
      })),
    fullAccess: () => Effect.void
  })
)

const handlers = Layer.mergeAll(
  probe,
  AuthHttp.layer,
  SessionHttp.layer,
  SessionsHttp.layer,
  ProfileHttp.layer,
  UsersHttp.layer,
  ApiKeysHttp.layer,
  SecondFactorHttp.layer
).pipe(Layer.provide(Services.accounts))

const callers = AuthenticationHttp.layer.pipe(Layer.provide(Services.accounts))

/**
 * Serves every account operation with the real authentication, over a fresh database. Mails stay in memory. Hashing is cheap
 * by default; `crypto` can be the real cryptography.
 */
export const layer = (config: Record<string, string> = {}, crypto = TestCrypto.layer) =>
  layerWith(api, handlers, callers, crypto).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        CredentialsRepo.layer,
        EmailOutboxRepo.layer,
        EmailTokensRepo.layer,
        SigningKeys.layer,
        RateLimit.layer,
        Mailer.layerMemory,
        Addresses.layer
      )
    ),
    Layer.provideMerge(TestDatabase.layer),
    Layer.provide(crypto),
    Layer.provide(
      ConfigProvider.layer(
        ConfigProvider.fromEnvRecord({ RATE_LIMIT_PER_MINUTE: "100000", AUTH_RATE_LIMIT_FACTOR: "1000", ...config })
      )
    )
  )

/** Sends the due mails; returns the ones to this address, the oldest first. */
export const mailTo = Effect.fnUntraced(function* (address: string) {
  const sent = yield* SentMail
  yield* Ref.set(sent, [])
  yield* EmailDelivery.run
  return (yield* Ref.get(sent)).filter(({ to }) => to === address)
})

/** The token in the newest mail to this address. */
export const mailedToken = Effect.fnUntraced(function* (address: string) {
  const mail = (yield* mailTo(address)).at(-1)
  return /^ {2}([\w-]{43})$/m.exec(mail?.text ?? "")?.[1] ?? "no token was mailed"
})

let registered = 0
export const password = "correct horse battery staple"

/** Registers a new person; returns the email and the tokens. */
export const newPerson = Effect.gen(function* () {
  const email = `person${++registered}@example.com`
  const { body } = yield* request("POST", "/v1/auth/register", { body: { email, password } })
  return { email, ...body } as {
    email: string
    access_token: string
    refresh_token: string
    user: { id: string; referral_code: string; created_at: string }
  }
})

/** True when an access token still works. */
export const isSignedIn = (accessToken: string) =>
  Effect.map(request("GET", "/v1/users/me", { user: accessToken }), ({ status }) => status === 200)
