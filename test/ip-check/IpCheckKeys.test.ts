import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { frozenTime } from "../support/FrozenTime.ts"
import { buyer } from "../support/OrderTesting.ts"
import {
  bookedBy,
  check,
  layer as domain,
  newIp,
  payment,
  price,
  refund,
  slowly,
  withAnswer
} from "./IpCheckTesting.ts"

layer(domain, { excludeTestServices: true })("A check with an idempotency key", (it) => {
  it.effect("answers its first result again, also a reused one, and is refused with another address", () =>
    Effect.gen(function* () {
      const caller = yield* buyer(price * 2n)
      const ip = newIp()
      const [key, later] = [randomUUID(), randomUUID()]
      const first = yield* check(caller, ip, key)
      assert.deepStrictEqual(yield* check(caller, ip, key), { ...first, replayed: true })
      const reused = yield* check(caller, ip, later)
      assert.deepStrictEqual([reused.answer.cached, reused.replayed], [true, false])
      assert.deepStrictEqual(yield* check(caller, ip, later), { ...reused, replayed: true })
      const error = yield* Effect.flip(check(caller, newIp(), key))
      assert.strictEqual(error._tag, "IdempotencyKeyReused")
      assert.deepStrictEqual(yield* bookedBy(caller.user_id), [payment])
    })
  )

  it.effect("runs once for twenty concurrent requests, and frees the key when it fails", () =>
    Effect.gen(function* () {
      yield* frozenTime
      const caller = yield* buyer(price * 2n)
      const ip = newIp()
      const key = randomUUID()
      yield* Effect.flip(withAnswer(Effect.succeed([]), check(caller, ip, key)))
      const answers = yield* withAnswer(
        slowly,
        Effect.forEach(Array.from({ length: 20 }), () => check(caller, ip, key), { concurrency: "unbounded" })
      )
      assert.strictEqual(answers.filter(({ replayed }) => !replayed).length, 1)
      assert.strictEqual(new Set(answers.map(({ answer }) => answer.id)).size, 1)
      assert.deepStrictEqual(yield* bookedBy(caller.user_id), [payment, refund, payment])
    })
  )
})
