import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import type { Page } from "../../platform/fields/Page.ts"
import * as Secrets from "../../platform/Secrets.ts"
import { ApiKeyNotFound, ApiKeyOfAnotherUser, TooManyApiKeys, UserNotFound } from "../AccountErrors.ts"
import { ApiKey, type ApiKeyId, type LiveApiKey } from "../ApiKey.ts"
import { ApiKeysRepo } from "../ApiKeysRepo.ts"
import type { Unauthorized } from "../Authentication.ts"
import type { Caller } from "../Caller.ts"
import * as RememberCredentials from "../RememberCredentials.ts"
import { CallerLock } from "../CallerLock.ts"
import { CredentialChanges } from "../CredentialChanges.ts"
import { CredentialsRepo } from "../CredentialsRepo.ts"
import type { Scope } from "../Scope.ts"
import type { UserId } from "../User.ts"

const keysPerAccount = 100
const shape = /^prk_[\w-]{43}$/
const prefixLength = 12
const usedPrecision = Duration.minutes(1)

/** The settings that the owner chooses for a key. An absent setting restricts nothing. */
interface KeySettings {
  readonly name: string
  readonly scopes?: ReadonlyArray<Scope> | null
  readonly expires_at?: DateTime.Utc | null
  readonly allowed_ips?: ReadonlyArray<string> | null
  readonly daily_spend_limit_usd?: bigint | null
}

interface CreatedKey {
  readonly apiKey: ApiKey
  readonly key: string
}

/** The API keys of an account. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** Creates a key and returns it. The service stores only its hash. */
    readonly create: (
      owner: UserId,
      settings: KeySettings
    ) => Effect.Effect<CreatedKey, TooManyApiKeys | UserNotFound | RequestInvalid>
    /** Creates a key for a caller whose credential must still be valid. */
    readonly createBy: (
      caller: Caller["Service"],
      settings: KeySettings
    ) => Effect.Effect<CreatedKey, TooManyApiKeys | UserNotFound | RequestInvalid | Unauthorized>
    readonly list: (
      owner: UserId,
      page: Page
    ) => Effect.Effect<{ readonly api_keys: ReadonlyArray<ApiKey>; readonly total: number }>
    readonly revoke: (owner: UserId, id: ApiKeyId) => Effect.Effect<void, ApiKeyNotFound | ApiKeyOfAnotherUser>
    /** Finds a valid key. */
    readonly find: (key: string) => Effect.Effect<Option.Option<LiveApiKey>>
    /** Records the last use of a key, to the minute. */
    readonly markUsed: (apiKey: LiveApiKey) => Effect.Effect<void>
  }
>()("app/accounts/ApiKeys") {
  static readonly layerNoDeps = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const callers = yield* CallerLock
      const repo = yield* ApiKeysRepo
      const credentials = yield* CredentialsRepo

      /**
       * The caller's transaction holds the lock of the account, so that concurrent creations cannot exceed the limit.
       */
      const insert = Effect.fnUntraced(function* (owner: UserId, settings: KeySettings) {
        const expires_at = settings.expires_at ?? null
        if (expires_at !== null && DateTime.isLessThanOrEqualTo(expires_at, yield* DateTime.now))
          return yield* RequestInvalid.at(["body", "expires_at"], "Must be in the future")

        if ((yield* repo.count(owner)) >= keysPerAccount) return yield* new TooManyApiKeys({ details: {} })

        const key = yield* Secrets.make("prk_")
        const row = yield* Effect.orDie(
          ApiKey.insert.makeEffect({
            user_id: owner,
            name: settings.name,
            prefix: key.slice(0, prefixLength),
            key_hash: Secrets.digest(key),
            scopes: settings.scopes ? [...new Set(settings.scopes)] : null,
            expires_at,
            allowed_ips: settings.allowed_ips ?? null,
            daily_spend_limit_usd: settings.daily_spend_limit_usd ?? null,
            last_used_at: null
          })
        )
        return { apiKey: yield* repo.insert(row), key }
      })

      const create = Effect.fn("ApiKeys.create")(function* (owner: UserId, settings: KeySettings) {
        if (Option.isNone(yield* credentials.lock(owner))) return yield* new UserNotFound()
        return yield* insert(owner, settings)
      }, atomically)

      const createBy = Effect.fn("ApiKeys.createBy")(function* (caller: Caller["Service"], settings: KeySettings) {
        yield* callers.hold(caller)
        return yield* insert(caller.user_id, settings)
      }, atomically)

      const list = Effect.fn("ApiKeys.list")(function* (owner: UserId, page: Page) {
        return { api_keys: yield* repo.list(owner, page), total: yield* repo.count(owner) }
      })

      const revoke = Effect.fn("ApiKeys.revoke")(function* (owner: UserId, id: ApiKeyId) {
        if (yield* repo.remove(owner, id)) return
        return yield* (yield* repo.exists(id)) ? new ApiKeyOfAnotherUser() : new ApiKeyNotFound()
      })

      const remembered = yield* RememberCredentials.make<LiveApiKey>({
        subjectsOf: ({ id, user_id }) => [`api_key:${id}`, `account:${user_id}`],
        endOf: ({ expires_at }) => (expires_at === null ? undefined : DateTime.toEpochMillis(expires_at))
      })

      const find = (key: string) => {
        if (!shape.test(key)) return Effect.succeed(Option.none<LiveApiKey>())
        const key_hash = Secrets.digest(key)
        const read = Effect.flatMap(DateTime.now, (now) => repo.findLive(key_hash, now))
        return remembered.find(key_hash, read)
      }

      const markUsed = Effect.fnUntraced(function* ({ id, key_hash, last_used_at }: LiveApiKey) {
        const now = yield* DateTime.now
        const fresh = last_used_at !== null && Duration.isLessThan(DateTime.distance(last_used_at, now), usedPrecision)
        if (fresh) return
        remembered.update(key_hash, (apiKey) => ({ ...apiKey, last_used_at: now }))
        yield* repo.markUsed(id, now)
      })

      return ApiKeys.of({ create, createBy, list, revoke, find, markUsed })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([ApiKeysRepo.layer, CallerLock.layer, CredentialChanges.layer, CredentialsRepo.layer])
  )
}
