import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Deferred, Effect, Exit, Fiber, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { UserId } from "../../src/accounts/User.ts"
import { settled } from "../support/Settled.ts"
import { statementsOf } from "../support/Statements.ts"
import { Claim } from "../../src/idempotency/Claim.ts"
import { Idempotency } from "../../src/idempotency/Idempotency.ts"
import * as IdempotencyCleanup from "../../src/idempotency/IdempotencyCleanup.ts"
import { RequestStillRunning } from "../../src/idempotency/IdempotencyErrors.ts"
import { IdempotencyRepo } from "../../src/idempotency/IdempotencyRepo.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const services = Layer.mergeAll(Idempotency.layer, IdempotencyRepo.layer).pipe(Layer.provideMerge(TestDatabase.layer))

/** A spending operation that records its steps. `restart` moves it to another process. */
const operation = Effect.gen(function* () {
  const user_id = yield* Fixtures.newUser
  let idempotency = yield* Idempotency
  const restart = Effect.map(Layer.build(Layer.fresh(Idempotency.layer)), (services) => {
    idempotency = Context.get(services, Idempotency)
  })
  const done: Array<string> = []
  const perform = (key: string | undefined, body: object = {}, charge: Effect.Effect<void, string> = Effect.void) =>
    idempotency.perform(
      { user_id, operation: "test", key, body },
      {
        reference: "reference",
        charge: Effect.andThen(
          charge,
          Effect.sync(() => void done.push("charge"))
        ),
        finish: (reference) => Effect.sync(() => `${String(reference)} ${done.push("finish")}`)
      }
    )
  return { user_id, perform, restart, done }
})

/** A request that signals its claim of the key, and ends with `outcome`. */
const directed = Effect.fnUntraced(function* (user_id: UserId, name: string) {
  const idempotency = yield* Idempotency
  const charged = yield* Deferred.make<void>()
  const outcome = yield* Deferred.make<string, string | RequestStillRunning>()
  const done: Array<string> = []
  const request = idempotency.perform(
    { user_id, operation: "test", key: "k", body: {} },
    {
      reference: name,
      charge: Effect.asVoid(Effect.sync(() => done.push("charge"))),
      finish: () => {
        done.push("finish")
        return Effect.andThen(Deferred.succeed(charged, undefined), Deferred.await(outcome))
      }
    }
  )
  const fiber = yield* Effect.forkChild(Effect.result(request))
  return { done, outcome, charged: Deferred.await(charged), result: Fiber.join(fiber) }
})

layer(services)("Idempotency", (it) => {
  it.effect("charges a key once and replays the answer, with any order of the body's fields", () =>
    Effect.gen(function* () {
      const { done, perform } = yield* operation
      const first = yield* perform("k", { a: 1, b: { c: 2, d: 3 } })
      const again = yield* perform("k", { b: { d: 3, c: 2 }, a: 1 })
      assert.deepStrictEqual(
        [first, again],
        [
          { answer: "reference 2", replayed: false },
          { answer: "reference 2", replayed: true }
        ]
      )
      assert.deepStrictEqual(done, ["charge", "finish"])
    })
  )

  it.effect("replays the answer in its process without a statement, and in another process with one", () =>
    Effect.gen(function* () {
      const { perform, restart } = yield* operation
      yield* perform("k")
      const replayed: Array<unknown> = []
      const replay = () => statementsOf(Effect.map(perform("k"), (outcome) => replayed.push(outcome)))
      assert.deepStrictEqual(yield* replay(), [])
      yield* restart
      assert.lengthOf(yield* replay(), 1)
      const answered = { answer: "reference 2", replayed: true }
      assert.deepStrictEqual(replayed, [answered, answered])
    })
  )

  it.effect("does not replay an answer that the database does not have", () =>
    Effect.gen(function* () {
      const repo = yield* IdempotencyRepo
      let isBroken = true
      const breaking = Layer.succeed(IdempotencyRepo, {
        ...repo,
        keep: (...about) => (isBroken ? Effect.die("no connection") : repo.keep(...about))
      })
      const services = yield* Layer.build(Layer.fresh(Layer.provide(Idempotency.layerNoDeps, breaking)))
      const { done, perform } = yield* Effect.provideContext(operation, services)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(perform("k"))))
      isBroken = false
      yield* TestClock.adjust("31 seconds")
      assert.deepStrictEqual(yield* perform("k"), { answer: "reference 3", replayed: true })
      assert.deepStrictEqual(done, ["charge", "finish", "finish"])
    })
  )

  it.effect("reads a claim as its schema has it, with an answer and without one", () =>
    Effect.gen(function* () {
      const { perform, user_id } = yield* operation
      const sql = yield* SqlClient.SqlClient
      const repo = yield* IdempotencyRepo
      yield* perform("k")
      const find = Effect.map(repo.find({ user_id, operation: "test", key: "k" }), Option.getOrThrow)
      const answered = yield* find
      yield* sql`UPDATE idempotency_key SET answer = NULL WHERE user_id = ${user_id}`
      const unanswered = yield* find
      assert.deepStrictEqual([answered.answer, unanswered.answer], ["reference 2", null])
      for (const claim of [answered, unanswered])
        assert.deepStrictEqual({ ...claim }, Schema.decodeUnknownSync(Claim)(claim))
    })
  )

  it.effect("charges every time without a key", () =>
    Effect.gen(function* () {
      const { done, perform } = yield* operation
      yield* perform(undefined)
      yield* perform(undefined)
      assert.deepStrictEqual(done, ["charge", "finish", "charge", "finish"])
    })
  )

  it.effect("refuses a used key with another body", () =>
    Effect.gen(function* () {
      const { perform } = yield* operation
      yield* perform("k", { quantity: 1 })
      const error = yield* Effect.flip(perform("k", { quantity: 2 }))
      assert.strictEqual(typeof error === "string" ? error : error._tag, "IdempotencyKeyReused")
    })
  )

  it.effect("frees the key of a request that failed", () =>
    Effect.gen(function* () {
      const { done, perform } = yield* operation
      assert.strictEqual(yield* Effect.flip(perform("k", {}, Effect.fail("no money"))), "no money")
      assert.isFalse((yield* perform("k")).replayed)
      assert.deepStrictEqual(done, ["charge", "finish"])
    })
  )

  it.effect("finishes a charge after a crash once, without another charge", () =>
    Effect.gen(function* () {
      const { done, perform, restart, user_id } = yield* operation
      yield* perform("k")
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE idempotency_key SET answer = NULL WHERE user_id = ${user_id}`
      yield* restart
      yield* TestClock.adjust("31 seconds")
      const resumed = yield* Effect.all([perform("k"), perform("k")], { concurrency: 2 }).pipe(
        Effect.raceFirst(Effect.forever(Effect.andThen(settled, TestClock.adjust("50 millis"))))
      )
      assert.isTrue(resumed.every(({ replayed }) => replayed))
      assert.strictEqual(resumed[0].answer, resumed[1].answer)
      assert.deepStrictEqual(done, ["charge", "finish", "finish"])
    })
  )

  it.effect.each([
    ["fails", Effect.fail("refused")],
    ["does not know its outcome", Effect.fail(new RequestStillRunning({ details: {} }))],
    ["is answered", Effect.succeed("stalled")]
  ] as const)("does not change a later charge of the key when an overtaken request %s", ([, ending]) =>
    Effect.gen(function* () {
      const user_id = yield* Fixtures.newUser
      const stalled = yield* directed(user_id, "stalled")
      yield* stalled.charged
      yield* TestClock.adjust("31 seconds")
      const overtaking = yield* directed(user_id, "overtaking")
      yield* overtaking.charged
      yield* Deferred.fail(overtaking.outcome, "refused")
      assert.strictEqual((yield* overtaking.result)._tag, "Failure")
      const later = yield* directed(user_id, "later")
      yield* later.charged
      yield* Deferred.completeWith(stalled.outcome, ending)
      yield* stalled.result
      const last = yield* directed(user_id, "last")
      yield* settled
      yield* Deferred.succeed(later.outcome, "later")
      yield* later.result
      const seen = yield* Effect.raceFirst(
        last.result,
        Effect.forever(Effect.andThen(settled, TestClock.adjust("50 millis")))
      )
      assert.deepStrictEqual(seen._tag === "Success" && seen.success, { answer: "later", replayed: true })
      assert.deepStrictEqual(
        [stalled, overtaking, later, last].map(({ done }) => done.join()),
        ["charge,finish", "finish", "charge,finish", ""]
      )
    })
  )

  it.effect("fails with RequestStillRunning when the first request takes too long", () =>
    Effect.gen(function* () {
      const { perform, restart, user_id } = yield* operation
      yield* perform("k")
      yield* restart
      const sql = yield* SqlClient.SqlClient
      const later = DateTime.toDate(DateTime.add(yield* DateTime.now, { hours: 1 }))
      yield* sql`UPDATE idempotency_key SET answer = NULL, busy_until = ${later} WHERE user_id = ${user_id}`
      const error = yield* Effect.flip(perform("k")).pipe(
        Effect.raceFirst(Effect.forever(TestClock.adjust("1 second")))
      )
      assert.strictEqual(typeof error === "string" ? error : error._tag, "RequestStillRunning")
    })
  )

  it.effect("fails with RequestStillRunning when other requests always claim the key first and then free it", () =>
    Effect.gen(function* () {
      const repo = yield* IdempotencyRepo
      let claims = 0
      const contested = Layer.succeed(IdempotencyRepo, {
        ...repo,
        find: () => Effect.succeedNone,
        claim: (claim) => (++claims < 30 ? Effect.succeed(false) : repo.claim(claim))
      })
      const services = yield* Layer.build(Layer.fresh(Layer.provide(Idempotency.layerNoDeps, contested)))
      const { done, perform } = yield* Effect.provideContext(operation, services)
      const error = yield* Effect.flip(perform("k"))
      assert.strictEqual(typeof error === "string" ? error : error._tag, "RequestStillRunning")
      assert.deepStrictEqual(done, [])
    })
  )

  it.effect("forgets a key after 24 hours", () =>
    Effect.gen(function* () {
      const { perform, user_id } = yield* operation
      const other = yield* operation
      yield* perform("k")
      yield* other.perform("k")
      yield* TestClock.adjust("25 hours")
      assert.isFalse((yield* perform("k")).replayed)
      yield* IdempotencyCleanup.run
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ user_id: string }>`
        SELECT user_id FROM idempotency_key WHERE user_id IN (${user_id}, ${other.user_id})
      `
      assert.deepStrictEqual(rows, [{ user_id }])
    })
  )
})
