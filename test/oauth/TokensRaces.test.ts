import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { Restrictions } from "../../src/accounts/restrictions/Restrictions.ts"
import type { TokenResponse } from "../../src/oauth/TokenIssue.ts"
import { held, waiting } from "../support/Locks.ts"
import { restrict } from "../support/Restricting.ts"
import * as Testing from "./TokenTesting.ts"

const times = 32

/** Runs an operation many times concurrently, on two instances in turn. */
const atOnce = <E, R>(one: Effect.Effect<TokenResponse, E, R>, two: Effect.Effect<TokenResponse, E, R>) =>
  Effect.map(
    Effect.all(
      Array.from({ length: times }, (_, n) => Effect.result(n % 2 === 0 ? one : two)),
      { concurrency: "unbounded" }
    ),
    (answers) => ({
      successes: answers.filter(Result.isSuccess).map(({ success }) => success),
      failures: answers.filter(Result.isFailure).map(({ failure }) => failure)
    })
  )

const ban = (user_id: string) => Effect.provide(restrict(user_id, "ban"), Restrictions.layer)

const instances = Effect.all([Testing.instance, Testing.instance])

layer(Testing.layer)("Tokens on two instances", (it) => {
  it.effect("one of many refreshes with one token succeeds, and the connection ends with the new tokens", () =>
    Effect.gen(function* () {
      const [one, two] = yield* instances
      const { client, connection_id, refresh_token, user_id } = yield* Testing.connected()
      const given = Testing.refreshing(refresh_token)
      const { failures, successes } = yield* atOnce(
        one.tokens.refresh(client, given),
        two.tokens.refresh(client, given)
      )
      assert.lengthOf(successes, 1)
      assert.isTrue(failures.every(({ error }) => error === "invalid_grant"))
      assert.strictEqual(yield* Testing.revokedReason(connection_id), "refresh_token_reused")
      const newest = yield* Effect.result(two.tokens.refresh(client, Testing.refreshing(successes[0]?.refresh_token)))
      assert.isTrue(Result.isFailure(newest))
      assert.deepStrictEqual(
        (yield* Testing.eventsOf(user_id)).map(({ kind }) => kind),
        ["redeemed", "refreshed", "refresh_token_reused", "revoked"]
      )
    })
  )

  it.effect("one of many redemptions of one code succeeds, and the connection ends with the new tokens", () =>
    Effect.gen(function* () {
      const [one, two] = yield* instances
      const client = yield* Testing.newClient()
      const approved = yield* Testing.approve({ client_id: client.id })
      const given = Testing.redemption(approved)
      const { failures, successes } = yield* atOnce(one.tokens.redeem(client, given), two.tokens.redeem(client, given))
      assert.lengthOf(successes, 1)
      assert.isTrue(failures.every(({ error }) => error === "invalid_grant"))
      assert.strictEqual(yield* Testing.revokedReason(approved.connection_id), "code_reused")
      const newest = yield* Effect.result(one.tokens.refresh(client, Testing.refreshing(successes[0]?.refresh_token)))
      assert.isTrue(Result.isFailure(newest))
      assert.isTrue(Option.isNone(yield* two.verify(successes[0]?.access_token ?? "")))
    })
  )

  it.effect("a refresh during the revocation of its connection finds it revoked", () =>
    Effect.gen(function* () {
      const [one, two] = yield* instances
      const sql = yield* SqlClient.SqlClient
      const { client, connection_id, refresh_token } = yield* Testing.connected()
      const now = DateTime.toDate(yield* DateTime.now)
      const revocation = yield* held(
        sql`UPDATE oauth_connection SET revoked_at = ${now}, revoked_reason = 'user' WHERE id = ${connection_id}`
      )
      const refresh = yield* Effect.forkChild(
        Effect.result(one.tokens.refresh(client, Testing.refreshing(refresh_token)))
      )
      yield* waiting(1)
      yield* revocation.open
      const { _tag } = yield* Fiber.join(refresh)
      assert.strictEqual(_tag, "Failure")
      assert.isTrue(
        Result.isFailure(yield* Effect.result(two.tokens.refresh(client, Testing.refreshing(refresh_token))))
      )
      assert.strictEqual(yield* Testing.revokedReason(connection_id), "user")
    })
  )

  it.effect("concurrent refreshes and revocations leave no working token, and do not deadlock", () =>
    Effect.gen(function* () {
      const [one, two] = yield* instances
      yield* Effect.forEach(
        Array.from({ length: 12 }),
        () =>
          Effect.gen(function* () {
            const { access_token, client, refresh_token } = yield* Testing.connected()
            const [refreshed] = yield* Effect.all(
              [
                Effect.result(one.tokens.refresh(client, Testing.refreshing(refresh_token))),
                two.tokens.revoke(client, access_token)
              ],
              { concurrency: "unbounded" }
            )
            const newest = Result.isSuccess(refreshed) ? refreshed.success : undefined
            assert.isTrue(Option.isNone(yield* two.verify(newest?.access_token ?? access_token)))
            const next = Testing.refreshing(newest?.refresh_token ?? refresh_token)
            assert.isTrue(Result.isFailure(yield* Effect.result(one.tokens.refresh(client, next))))
          }),
        { concurrency: 4 }
      )
    })
  )

  it.effect("a ban during the exchange of a code or a refresh leaves no working token, in either order", () =>
    Effect.gen(function* () {
      const [one, two] = yield* instances
      for (let round = 0; round < 8; round += 1) {
        const client = yield* Testing.newClient()
        const approved = yield* Testing.approve({ client_id: client.id })
        const connected = yield* Testing.connected()
        const [redeemed, refreshed] = yield* Effect.all(
          [
            Effect.result(one.tokens.redeem(client, Testing.redemption(approved))),
            Effect.result(one.tokens.refresh(connected.client, Testing.refreshing(connected.refresh_token))),
            ban(approved.user_id),
            ban(connected.user_id)
          ],
          { concurrency: "unbounded" }
        )
        for (const id of [approved.connection_id, connected.connection_id])
          assert.strictEqual(yield* Testing.revokedReason(id), "restricted")
        for (const answer of [redeemed, refreshed]) {
          if (Result.isFailure(answer)) {
            assert.strictEqual(answer.failure.error, "invalid_grant")
            continue
          }
          const { access_token, refresh_token } = answer.success
          assert.isTrue(Option.isNone(yield* two.verify(access_token)))
          const owner = answer === redeemed ? client : connected.client
          assert.isTrue(
            Result.isFailure(yield* Effect.result(two.tokens.refresh(owner, Testing.refreshing(refresh_token))))
          )
        }
      }
    })
  )

  it.effect("a refresh concurrent with a password change ends with an ended connection, in either order", () =>
    Effect.gen(function* () {
      const [one, two] = yield* instances
      const sql = yield* SqlClient.SqlClient
      for (let round = 0; round < 6; round += 1) {
        const { client, connection_id, refresh_token, user_id } = yield* Testing.connected()
        const now = DateTime.toDate(yield* DateTime.now)
        const [refreshed] = yield* Effect.all(
          [
            Effect.result(one.tokens.refresh(client, Testing.refreshing(refresh_token))),
            sql`
              UPDATE user_account SET sessions_valid_from = ${now}, password_hash = '$argon2id$other' WHERE id = ${user_id}
            `
          ],
          { concurrency: "unbounded" }
        )
        assert.strictEqual(yield* Testing.revokedReason(connection_id), "password_changed")
        const newest = Result.isSuccess(refreshed) ? refreshed.success.refresh_token : refresh_token
        assert.isTrue(Result.isFailure(yield* Effect.result(two.tokens.refresh(client, Testing.refreshing(newest)))))
      }
    })
  )
})
