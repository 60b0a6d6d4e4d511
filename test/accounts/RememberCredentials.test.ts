import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { isDeepStrictEqual } from "node:util"
import { ApiKeys } from "../../src/accounts/api-keys/ApiKeys.ts"
import { ApiKeysRepo } from "../../src/accounts/ApiKeysRepo.ts"
import { CallerLock } from "../../src/accounts/CallerLock.ts"
import { CredentialChanges } from "../../src/accounts/CredentialChanges.ts"
import { CredentialsRepo } from "../../src/accounts/CredentialsRepo.ts"
import { Restrictions } from "../../src/accounts/restrictions/Restrictions.ts"
import { Atomically } from "../../src/platform/postgres/Atomically.ts"
import { newUser } from "../support/Fixtures.ts"
import { lift, restrict } from "../support/Restricting.ts"
import * as TestCrypto from "../support/TestCrypto.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const database = Layer.provideMerge(Atomically.layer, TestDatabase.layer)

/** An instance with its own memory, which counts what it reads from the database. */
const instance = Effect.gen(function* () {
  let reads = 0
  const repo = Layer.effect(
    ApiKeysRepo,
    Effect.map(ApiKeysRepo.make, (repo) => ({
      ...repo,
      findLive: (...about: Parameters<typeof repo.findLive>) => {
        reads++
        return repo.findLive(...about)
      }
    }))
  )
  const keys = Layer.fresh(
    ApiKeys.layerNoDeps.pipe(
      Layer.provide([repo, CallerLock.layer, CredentialsRepo.layer]),
      Layer.provideMerge(Layer.fresh(CredentialChanges.layer))
    )
  )
  const services = yield* Layer.build(keys)
  const apiKeys = Context.get(services, ApiKeys)
  const find = (key: string) => Effect.map(apiKeys.find(key), Option.getOrUndefined)
  return {
    ...apiKeys,
    caughtUp: Context.get(services, CredentialChanges).caughtUp,
    find,
    reads: () => reads,
    /** Reads a key until the instance remembers it: an instance uses what it remembers once it is up to date. */
    learn: (key: string) =>
      Effect.gen(function* () {
        const before = reads
        yield* find(key)
        return reads === before
      }).pipe(Effect.repeat({ until: (isKnown) => isKnown, schedule: Schedule.spaced("5 millis") }))
  }
})

const eventually = <A, E, R>(effect: Effect.Effect<A, E, R>, until: (value: A) => boolean) =>
  Effect.repeat(effect, { until, schedule: Schedule.spaced("5 millis") })

/** Two instances, and a key that both remember. */
const known = Effect.gen(function* () {
  const owner = yield* newUser
  const [one, other] = [yield* instance, yield* instance]
  const { apiKey, key } = yield* one.create(owner, { name: "key", scopes: ["orders:read"] })
  yield* one.learn(key)
  yield* other.learn(key)
  return { apiKey, key, one, other, owner }
})

layer(Layer.provideMerge(TestCrypto.layer, database), { excludeTestServices: true })("A remembered key", (it) => {
  it.effect("is found without a query, and its use is noted once a minute", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { apiKey, key, one } = yield* known
      const before = one.reads()
      const found = yield* one.find(key)
      assert.strictEqual(found?.id, apiKey.id)
      assert.isTrue(found?.last_used_at === null)
      yield* one.markUsed(found!)
      assert.isNotNull((yield* one.find(key))?.last_used_at)
      assert.strictEqual(one.reads(), before)
      const [row] = yield* sql<{
        used: boolean
      }>`SELECT last_used_at IS NOT NULL AS used FROM api_key WHERE id = ${apiKey.id}`
      assert.isTrue(row?.used)
    })
  )

  it.effect("is refused as soon as its owner revokes it, and on every instance", () =>
    Effect.gen(function* () {
      const { apiKey, key, one, other, owner } = yield* known
      yield* one.revoke(owner, apiKey.id)
      yield* one.caughtUp
      assert.isUndefined(yield* one.find(key))
      yield* eventually(other.find(key), (found) => found === undefined)
    })
  )

  it.effect.each([
    [
      "scopes",
      (sql: SqlClient.SqlClient, id: string) => sql`UPDATE api_key SET scopes = '{catalog:read}' WHERE id = ${id}`
    ],
    [
      "addresses",
      (sql: SqlClient.SqlClient, id: string) => sql`UPDATE api_key SET allowed_ips = '{192.0.2.7}' WHERE id = ${id}`
    ],
    [
      "daily limit",
      (sql: SqlClient.SqlClient, id: string) => sql`UPDATE api_key SET daily_spend_limit_usd = 5 WHERE id = ${id}`
    ],
    [
      "verification of its owner",
      (sql: SqlClient.SqlClient, id: string) =>
        sql`UPDATE user_account SET email_verified = true WHERE id = (SELECT user_id FROM api_key WHERE id = ${id})`
    ]
  ] as const)("has the present %s, on every instance", ([, change]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { apiKey, key, one, other } = yield* known
      const before = yield* one.find(key)
      yield* change(sql, apiKey.id)
      for (const each of [one, other]) yield* eventually(each.find(key), (found) => !isDeepStrictEqual(found, before))
    })
  )

  it.effect("is refused on every instance when its account is deleted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { key, one, other, owner } = yield* known
      yield* sql`
        UPDATE user_account SET deleted_at = to_timestamp(1), email = NULL, email_verified = false WHERE id = ${owner}
      `
      for (const each of [one, other]) yield* eventually(each.find(key), (found) => found === undefined)
    })
  )

  it.effect("is known as that of a banned account on every instance, also while its listening connection is cut", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const isCut of [false, true]) {
        const { key, one, other, owner } = yield* known
        if (isCut)
          yield* sql`
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND query LIKE 'LISTEN %credential%' AND pid <> pg_backend_pid()
          `
        const { id } = yield* Effect.provide(restrict(owner, "ban"), Restrictions.layer)
        // An instance that hears nothing uses no copy that is older than three seconds.
        for (const each of [one, other]) yield* eventually(each.find(key), (found) => found?.access_blocked === true)
        yield* Effect.provide(lift(id), Restrictions.layer)
        for (const each of [one, other]) yield* eventually(each.find(key), (found) => found?.access_blocked === false)
      }
    })
  )

  it.effect("is read again each time while an instance does not listen, so a revoked one is refused immediately", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { apiKey, key, one, other } = yield* known
      const listening = sql<{ pid: number }>`
        SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN %credential%' AND pid <> pg_backend_pid()
      `
      const lost = yield* listening
      assert.isAtLeast(lost.length, 2)
      for (const { pid } of lost) yield* sql`SELECT pg_terminate_backend(${pid})`
      // The end of the connection is noticed before a second has passed, and listening begins a second later.
      for (const each of [one, other]) {
        const before = each.reads()
        yield* eventually(each.find(key), () => each.reads() > before)
      }
      yield* sql`DELETE FROM api_key WHERE id = ${apiKey.id}`
      for (const each of [one, other]) assert.isUndefined(yield* each.find(key))
    })
  )

  it.effect("is not what a read found before a change that came during the read", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { apiKey, key, one } = yield* known
      const changes = ["{catalog:read}", "{orders:write}", "{orders:read}", "{wallet:read}"]
      for (const scopes of changes) {
        const finds = Effect.forEach(Array.from({ length: 20 }), () => one.find(key), { concurrency: 5 })
        yield* Effect.all([finds, sql`UPDATE api_key SET scopes = ${scopes}::text[] WHERE id = ${apiKey.id}`, finds], {
          concurrency: 3
        })
        yield* eventually(one.find(key), (found) => `{${found?.scopes?.join()}}` === scopes)
      }
    })
  )
})
