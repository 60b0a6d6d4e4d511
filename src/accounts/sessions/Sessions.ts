import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Addresses } from "../../platform/settings/Addresses.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { ClientAddress } from "../../platform/requests/ClientAddress.ts"
import * as Secrets from "../../platform/Secrets.ts"
import { RefreshTokenInvalid } from "../AccountErrors.ts"
import type { Caller, SessionCredential } from "../Caller.ts"
import { CredentialChanges } from "../CredentialChanges.ts"
import { CredentialsRepo } from "../CredentialsRepo.ts"
import * as RememberCredentials from "../RememberCredentials.ts"
import * as ReadClient from "./ReadClient.ts"
import { RefreshTokensRepo } from "./RefreshTokensRepo.ts"
import { SessionsRepo } from "../SessionsRepo.ts"
import { SigningKeys } from "./SigningKeys.ts"
import { SessionTokensView } from "../SessionTokensView.ts"
import { type User, UserId } from "../User.ts"
import { UsersRepo } from "../UsersRepo.ts"

/** OAuth access tokens have the type `at+jwt`, so the service never takes one kind for the other. */
const typ = "JWT"
const accessTokenSeconds = SessionTokensView.fields.expires_in.literal
const refreshTokenDays = 30
/** Days after which an unused session ends. */
export const sessionDays = 30
const sessionsPerAccount = 100

const Claims = Schema.Struct({ sub: UserId, sid: Schema.String.check(Schema.isUUID()) })
const decodeClaims = Schema.decodeUnknownOption(Claims)

interface SessionCaller {
  readonly user_id: UserId
  readonly email_verified: boolean
  readonly credential: SessionCredential
}

/** Finds the caller of an access token. Verifies each token, and remembers its session. */
const makeCallers = Effect.gen(function* () {
  const { base_url } = yield* Addresses
  const keys = yield* SigningKeys
  const repo = yield* SessionsRepo

  const read = Effect.fn("Sessions.read")(function* (session_id: string, user_id: UserId) {
    const live = yield* repo.findLive(session_id, user_id, yield* DateTime.now)
    return Option.map(live, ({ email_verified, expires_at }) => ({
      caller: { user_id, email_verified, credential: { _tag: "session" as const, session_id } },
      end: DateTime.toEpochMillis(expires_at)
    }))
  })

  const remembered = yield* RememberCredentials.make<{ readonly caller: SessionCaller; readonly end: number }>({
    subjectsOf: ({ caller }) => [`session:${caller.credential.session_id}`, `account:${caller.user_id}`],
    endOf: ({ end }) => end
  })

  return Effect.fnUntraced(function* (accessToken: string) {
    const claims = Option.flatMap(yield* keys.verify(typ, base_url, accessToken), decodeClaims)
    if (Option.isNone(claims)) return Option.none()
    const { sid, sub } = claims.value
    const found = yield* remembered.find(`${sid} ${sub}`, read(sid, sub))
    return Option.map(found, ({ caller }) => caller)
  })
})

/** Sessions of signed-in people: an access token of 15 minutes, and a chain of refresh tokens that work once each. */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** Begins a session without tokens, in the caller's transaction; returns its id. */
    readonly begin: (user: User) => Effect.Effect<string>
    /** Begins a session with tokens, in the caller's transaction. */
    readonly start: (user: User) => Effect.Effect<SessionTokensView>
    readonly refresh: (refreshToken: string) => Effect.Effect<SessionTokensView, RefreshTokenInvalid>
    /** Finds the caller of an access token while its session has not ended. */
    readonly caller: (accessToken: string) => Effect.Effect<Option.Option<Caller["Service"]>>
    /**
     * True when the account's session has not ended. Locks the account: until the caller's transaction ends, a password
     * change, signing out everywhere and the deletion of the account wait. Signing out of this one session does not wait.
     */
    readonly hold: (session_id: string, user_id: UserId) => Effect.Effect<boolean>
    readonly end: (sessionId: string) => Effect.Effect<void>
    readonly endAll: (user_id: UserId) => Effect.Effect<void>
  }
>()("app/accounts/Sessions") {
  static readonly layerNoDeps = Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const { base_url } = yield* Addresses
      const atomically = yield* Atomically
      const changes = yield* CredentialChanges
      const keys = yield* SigningKeys
      const credentials = yield* CredentialsRepo
      const readClient = yield* ReadClient.make
      const repo = yield* SessionsRepo
      const tokens = yield* RefreshTokensRepo
      const users = yield* UsersRepo

      const issue = Effect.fnUntraced(function* (user: User, session_id: string, now: DateTime.Utc) {
        const refresh_token = yield* Secrets.make("prs_")
        const expires_at = DateTime.add(now, { days: refreshTokenDays })
        yield* tokens.insert({ token_hash: Secrets.digest(refresh_token), session_id, created_at: now, expires_at })
        const iat = Math.floor(DateTime.toEpochMillis(now) / 1000)
        const access_token = yield* keys.sign(typ, {
          aud: base_url,
          sub: user.id,
          sid: session_id,
          iat,
          exp: iat + accessTokenSeconds
        })
        return { access_token, token_type: "Bearer" as const, expires_in: accessTokenSeconds, refresh_token, user }
      })

      const caller = yield* makeCallers

      const begin = Effect.fn("Sessions.begin")(function* (user: User) {
        const created_at = yield* DateTime.now
        const id = SecureRandom.uuidV7Unsafe()
        yield* repo.removeOldest(user.id, sessionsPerAccount - 1)
        yield* repo.insert({
          ...(yield* readClient),
          id,
          user_id: user.id,
          created_at,
          expires_at: DateTime.add(created_at, { days: sessionDays })
        })
        return id
      })

      const start = Effect.fn("Sessions.start")(function* (user: User) {
        return yield* issue(user, yield* begin(user), yield* DateTime.now)
      })

      /**
       * Fails for an unknown token. A second use of a token means that another person has a copy, so the session ends. This
       * then returns none rather than fails, because the end of the session must be committed.
       */
      const rotate = Effect.fnUntraced(function* (token_hash: string) {
        const session = yield* repo.lockByToken(token_hash)
        if (Option.isNone(session)) return yield* new RefreshTokenInvalid()
        const now = yield* DateTime.now
        if (!(yield* tokens.use(token_hash, now))) {
          yield* repo.remove(session.value.id)
          return Option.none()
        }
        yield* repo.use(session.value.id, yield* readClient, now, DateTime.add(now, { days: sessionDays }))
        const user = yield* users.find(session.value.user_id)
        return Option.isNone(user) ? Option.none() : Option.some(yield* issue(user.value, session.value.id, now))
      }, atomically)

      const refresh = Effect.fn("Sessions.refresh")(function* (refreshToken: string) {
        const answer = yield* rotate(Secrets.digest(refreshToken))
        if (Option.isSome(answer)) return answer.value
        yield* changes.caughtUp
        return yield* new RefreshTokenInvalid()
      })

      const hold = Effect.fn("Sessions.hold")(function* (session_id: string, user_id: UserId) {
        // Lock the account first: a transaction that ends sessions holds this row until it commits.
        const account = yield* credentials.lock(user_id)
        return Option.isSome(account) && Option.isSome(yield* repo.findLive(session_id, user_id, yield* DateTime.now))
      })

      const endAll = Effect.fn("Sessions.endAll")(function* (user_id: UserId) {
        yield* credentials.invalidateSessions(user_id, yield* DateTime.now)
        yield* repo.removeAll(user_id)
      }, atomically)

      return Sessions.of({ begin, start, refresh, caller, hold, end: repo.remove, endAll })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      Addresses.layer,
      ClientAddress.layer,
      CredentialChanges.layer,
      CredentialsRepo.layer,
      RefreshTokensRepo.layer,
      SessionsRepo.layer,
      SigningKeys.layer,
      UsersRepo.layer
    ])
  )
}
