import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import type { Caller } from "../../src/accounts/Caller.ts"
import { UserId } from "../../src/accounts/User.ts"
import { ToolSessions } from "../../src/mcp/ToolSessions.ts"

const user = () => UserId.make(randomUUID())

const app = (user_id: UserId, connection_id: string, client_id = "an app"): Caller["Service"] => ({
  user_id,
  credential: { _tag: "oauth", client_id, connection_id, grant_id: "", scopes: [], daily_spend_limit_usd: null }
})

const revision = "2025-11-25"

const small = ToolSessions.layerWith({ perAccount: 2, inAll: 3 })

it.effect("a session belongs to its connection, with any of its tokens", () =>
  Effect.gen(function* () {
    const { open, revisionOf } = yield* ToolSessions
    const [one, other] = [user(), user()]
    yield* open("a", revision, app(one, "connection"))
    const asked = [app(one, "connection"), app(one, "another"), app(other, "connection")]
    assert.deepStrictEqual(yield* Effect.forEach(asked, (caller) => revisionOf("a", caller)), [
      revision,
      undefined,
      undefined
    ])
  }).pipe(Effect.provide(small))
)

it.effect("the least recently used session makes room: of the account, else of all; a working one stays", () =>
  Effect.gen(function* () {
    const { open, using } = yield* ToolSessions
    const [one, other] = [app(user(), "one"), app(user(), "other")]
    yield* open("a", revision, one)
    yield* open("b", revision, one)
    yield* using("a", one, Effect.void)
    assert.deepStrictEqual([...(yield* open("c", revision, one)).keys()], ["b"])
    yield* using(
      "a",
      one,
      Effect.gen(function* () {
        assert.deepStrictEqual([...(yield* open("d", revision, one)).keys()], ["c"])
      })
    )
    assert.deepStrictEqual([...(yield* open("e", revision, other)).keys()], [])
    assert.deepStrictEqual([...(yield* open("f", revision, app(user(), "third"))).keys()], ["d"])
  }).pipe(Effect.provide(small))
)

it.effect("a session is idle half an hour after its last answer", () =>
  Effect.gen(function* () {
    const { closeIdle, open, using } = yield* ToolSessions
    const caller = app(user(), "one")
    yield* open("idle", revision, caller)
    yield* open("at work", revision, caller)
    yield* using(
      "at work",
      caller,
      Effect.gen(function* () {
        yield* TestClock.adjust("31 minutes")
        assert.deepStrictEqual([...(yield* closeIdle).keys()], ["idle"])
      })
    )
    yield* TestClock.adjust("29 minutes")
    assert.strictEqual((yield* closeIdle).size, 0)
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual([...(yield* closeIdle).keys()], ["at work"])
  }).pipe(Effect.provide(small))
)
