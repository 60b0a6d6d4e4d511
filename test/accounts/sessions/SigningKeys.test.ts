import { assert, layer, vi } from "@effect/vitest"
import { Clock, Context, DateTime, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose"
import { SigningKeys } from "../../../src/accounts/sessions/SigningKeys.ts"
import { SigningKeysRepo } from "../../../src/accounts/sessions/SigningKeysRepo.ts"
import { Addresses } from "../../../src/platform/settings/Addresses.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { cleanup } from "./CleanupTesting.ts"

type Instance = SigningKeys["Service"]

/** An instance of the service, on the database of the other instances. */
const instance = Effect.map(Layer.build(Layer.fresh(SigningKeys.layer)), (context) => Context.get(context, SigningKeys))

const sign = Effect.fnUntraced(function* (keys: Instance, claims: object = {}) {
  const exp = (yield* Clock.currentTimeMillis) / 1000 + 900
  return yield* keys.sign("at+jwt", { aud: "a", exp, ...claims })
})

const kidOf = (token: string) => decodeProtectedHeader(token).kid

const verifies = (keys: Instance, token: string, audiences: string | ReadonlyArray<string> = "a") =>
  Effect.map(keys.verify("at+jwt", audiences, token), Option.isSome)

/** The number of signatures that are checked during an effect. */
const checks = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => vi.spyOn(crypto.subtle, "verify")),
    (spy) => Effect.map(effect, () => spy.mock.calls.length),
    (spy) => Effect.sync(() => spy.mockRestore())
  )

/** Waits until an instance knows the key. */
const signsWith = (keys: Instance, kid: string) =>
  Effect.repeat(Effect.map(sign(keys), kidOf), { until: (signedWith) => signedWith === kid })

const activeOf = (keys: Instance) => Effect.map(keys.list, (listed) => listed.filter((key) => key.retired_at === null))

/** Waits until this number of connections listen. */
const listening = (connections: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.repeat(
      sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN "signing_key"'`,
      { until: (rows) => rows.length === connections }
    )
  )

const outside = Layer.merge(Addresses.layer, TestDatabase.layer)

layer(outside)("Signing keys", (it) => {
  it.effect("every instance follows a rotation, and earlier tokens stay valid", () =>
    Effect.gen(function* () {
      const [here, there] = [yield* instance, yield* instance]
      const before = yield* sign(there)
      const { kid } = yield* here.rotate
      const token = yield* sign(here)
      assert.strictEqual(kidOf(token), kid)
      const seen = Array.from({ length: 5 }, () => verifies(there, token))
      assert.notInclude(yield* Effect.all(seen, { concurrency: "unbounded" }), false)
      yield* signsWith(there, kid)
      for (const keys of [here, there]) assert.isTrue(yield* verifies(keys, before))
      const [active, retired] = yield* there.list
      assert.strictEqual(active?.kid, kid)
      assert.strictEqual(retired?.kid, kidOf(before))
      assert.strictEqual(retired?.retired_at?.toString(), active?.created_at.toString())
    })
  )

  it.effect("the key set holds all public keys, which suffice to verify a token", () =>
    Effect.gen(function* () {
      const keys = yield* instance
      const before = yield* sign(keys)
      const { kid } = yield* keys.rotate
      const after = yield* sign(keys)
      const set = yield* keys.jwks
      assert.strictEqual(set.keys[0]?.kid, kid)
      for (const key of set.keys) {
        assert.hasAllKeys(key, ["kid", "alg", "use", "kty", "crv", "x", "y"])
        assert.deepInclude(key, { alg: "ES256", use: "sig", kty: "EC", crv: "P-256" })
      }
      const currentDate = DateTime.toDate(yield* DateTime.now)
      for (const token of [before, after])
        yield* Effect.promise(() => jwtVerify(token, createLocalJWKSet({ keys: [...set.keys] }), { currentDate }))
    })
  )

  it.effect("a token verifies for one of the requested audiences", () =>
    Effect.gen(function* () {
      const keys = yield* instance
      const token = yield* sign(keys, { aud: "b" })
      assert.isTrue(yield* verifies(keys, token, ["a", "b"]))
      assert.isTrue(yield* verifies(keys, token, "b"))
      assert.isFalse(yield* verifies(keys, token, ["a", "c"]))
      assert.isFalse(yield* verifies(keys, token, []))
    })
  )

  it.effect("the signature of a token is checked once, and that of a forged one each time", () =>
    Effect.gen(function* () {
      const keys = yield* instance
      const token = yield* sign(keys)
      const forged = `${token.split(".").slice(0, 2).join(".")}.${"A".repeat(86)}`
      const twice = (token: string, is: boolean) =>
        Effect.forEach([1, 2], () => Effect.map(verifies(keys, token), (verified) => assert.strictEqual(verified, is)))
      assert.strictEqual(yield* checks(twice(token, true)), 1)
      assert.strictEqual(yield* checks(twice(forged, false)), 2)
    })
  )

  it.effect("a verified token is refused once it has expired, for another audience and as another kind", () =>
    Effect.gen(function* () {
      const keys = yield* instance
      const token = yield* sign(keys)
      assert.isTrue(yield* verifies(keys, token))
      assert.isFalse(yield* verifies(keys, token, "b"))
      assert.isTrue(Option.isNone(yield* keys.verify("JWT", "a", token)))
      yield* TestClock.adjust("899 seconds")
      assert.isTrue(yield* verifies(keys, token))
      yield* TestClock.adjust("1 second")
      assert.isFalse(yield* verifies(keys, token))
    })
  )

  it.effect("a verified token is refused within a minute after its key was removed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const keys = yield* instance
      const token = yield* sign(keys)
      yield* keys.rotate
      assert.isTrue(yield* verifies(keys, token))
      yield* sql`DELETE FROM signing_key WHERE id = ${kidOf(token)}`
      yield* TestClock.adjust("1 minute")
      yield* Effect.repeat(verifies(keys, token), { until: (verified) => !verified })
    })
  )

  it.effect("only the tokens that were verified last are remembered", () =>
    Effect.gen(function* () {
      const rememberingTwo = SigningKeys.layerRemembering(2).pipe(Layer.provide(SigningKeysRepo.layer), Layer.fresh)
      const keys = Context.get(yield* Layer.build(rememberingTwo), SigningKeys)
      const [first = "", ...others] = yield* Effect.forEach(["1", "2", "3"], (jti) => sign(keys, { jti }))
      const verify = (tokens: ReadonlyArray<string>) => Effect.forEach(tokens, (token) => verifies(keys, token))
      assert.strictEqual(yield* checks(verify([first, ...others])), 3)
      assert.strictEqual(yield* checks(verify(others)), 0)
      assert.strictEqual(yield* checks(verify([first])), 1)
    })
  )

  it.effect("concurrent rotations each make a key, and one key is active afterwards", () =>
    Effect.gen(function* () {
      const instances = [yield* instance, yield* instance]
      const sql = yield* SqlClient.SqlClient
      const before = (yield* sql`SELECT FROM signing_key`).length
      const rotations = [...instances, ...instances].map(({ rotate }) => rotate)
      const made = yield* Effect.all(rotations, { concurrency: "unbounded" })
      assert.strictEqual(new Set(made.map(({ kid }) => kid)).size, 4)
      assert.lengthOf(yield* sql`SELECT FROM signing_key`, before + 4)
      for (const keys of instances) {
        const [active, ...others] = yield* activeOf(keys)
        assert.isEmpty(others)
        yield* signsWith(keys, active?.kid ?? "none")
      }
    })
  )

  it.effect("an instance catches up after it lost its connection to the database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [here, there] = [yield* instance, yield* instance]
      const pids = yield* listening(2)
      yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${sql.in(
        "pid",
        pids.map(({ pid }) => pid)
      )}`
      yield* listening(0)
      const { kid } = yield* here.rotate
      yield* TestClock.adjust("1 second")
      yield* signsWith(there, kid)
      yield* listening(2)
      yield* signsWith(there, (yield* here.rotate).kid)
    })
  )

  it.effect("an instance follows a rotation within a minute when the notification is lost", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const keys = yield* instance
      yield* listening(1)
      const [active] = yield* activeOf(keys)
      const { kid } = yield* keys.rotate
      yield* sql.withTransaction(
        Effect.andThen(
          sql`DELETE FROM signing_key WHERE id = ${kid}`,
          sql`UPDATE signing_key SET retired_at = NULL WHERE id = ${active?.kid}`
        )
      )
      yield* TestClock.adjust("1 minute")
      yield* signsWith(keys, active?.kid ?? "none")
    })
  )

  it.effect("tokens with unknown keys cause at most one query per second", () =>
    Effect.gen(function* () {
      let reads = 0
      const repo = yield* SigningKeysRepo
      const counting = Layer.succeed(SigningKeysRepo, {
        ...repo,
        all: Effect.suspend(() => {
          reads++
          return repo.all
        }),
        onChange: () => Effect.never
      })
      const keys = Context.get(
        yield* Layer.build(Layer.fresh(SigningKeys.layerNoDeps).pipe(Layer.provide(counting))),
        SigningKeys
      )
      const stranger = (yield* sign(keys)).replace(/^[^.]+/, () =>
        Buffer.from('{"alg":"ES256","typ":"at+jwt","kid":"stranger"}').toString("base64url")
      )
      const flood = Effect.all(
        Array.from({ length: 50 }, () => verifies(keys, stranger)),
        { concurrency: "unbounded" }
      )
      reads = 0
      assert.notInclude(yield* flood, true)
      assert.strictEqual(reads, 1)
      yield* TestClock.adjust("1 second")
      yield* flood
      assert.strictEqual(reads, 2)
      for (const garbage of ["", "a.b.c", "nonsense"]) assert.isFalse(yield* verifies(keys, garbage))
      assert.isTrue(yield* verifies(keys, yield* sign(keys)))
    }).pipe(Effect.provide(SigningKeysRepo.layer))
  )

  it.effect("the cleanup removes a retired key after a day, and never the active key", () =>
    Effect.gen(function* () {
      const keys = yield* instance
      const [first] = yield* activeOf(keys)
      const { kid } = yield* keys.rotate
      yield* TestClock.adjust("23 hours")
      yield* cleanup
      assert.include(
        (yield* keys.list).map(({ kid }) => kid),
        first?.kid
      )
      yield* TestClock.adjust("1 hour")
      yield* cleanup
      assert.deepStrictEqual(
        (yield* keys.list).map(({ kid }) => kid),
        [kid]
      )
      yield* TestClock.adjust("1000 days")
      yield* cleanup
      assert.lengthOf(yield* keys.list, 1)
    })
  )
})
