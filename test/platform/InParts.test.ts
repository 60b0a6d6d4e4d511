import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { inParts } from "../../src/platform/InParts.ts"

it.effect("A long list is worked on in its order, and others go on between its parts", () =>
  Effect.gen(function* () {
    let turns = 0
    const count = () => {
      turns += 1
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    const items = Array.from({ length: 1050 }, (_, index) => index)
    const doubled = yield* inParts(items, (part) => Effect.succeed(part.map((item) => item * 2)))
    clearImmediate(timer)
    assert.deepStrictEqual(
      doubled,
      items.map((item) => item * 2)
    )
    assert.isAtLeast(turns, 9)
  })
)
