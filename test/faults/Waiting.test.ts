import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Record } from "../../faults/Record.ts"
import { waitsFor } from "../../faults/Waiting.ts"

const one = { name: "one", isUp: () => true }
const two = { name: "two", isUp: () => false }
const gateway = { name: "gateway", isUp: () => true }

const account = { id: "", email: "", api_key: "", isPoor: false, referral_code: "", token: "", hasLeft: false }
const open = { account, key: "", path: "", body: {}, quantity: 1, order_id: null, answer: undefined }

const recordWith = (...purchases: Record["purchases"]) => Object.assign(new Record(), { purchases })

describe("A run that gives up", () => {
  it.effect("names the processes, the answers and the rows that it waits for", () =>
    Effect.gen(function* () {
      const unsettled = Effect.succeed(["order paid 1", "order paid 2", "order paid 3", "a 4", "b 5", "c 6", "d 7"])
      const world = { services: [one, two], gateway, record: recordWith(open), unsettled }
      assert.strictEqual(
        yield* waitsFor(world),
        "two is not ready; purchases without an answer: 1; order paid 1; order paid 2; order paid 3; a 4; b 5; 2 more"
      )
    })
  )

  it.effect("says that the database does not answer, or that nothing is left", () =>
    Effect.gen(function* () {
      const world = { services: [one], gateway, record: recordWith() }
      assert.strictEqual(
        yield* waitsFor({ ...world, unsettled: Effect.die(new Error("closed")) }),
        "the database does not answer"
      )
      assert.strictEqual(
        yield* waitsFor({ ...world, unsettled: Effect.succeed([]) }),
        "nothing; the machine was too slow"
      )
    })
  )
})
