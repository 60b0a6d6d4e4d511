import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { access } from "./AccessTable.ts"
import { type Operation, operations } from "./ContractTesting.ts"

export const scopeOf = ({ name }: Operation) => access[name] ?? ""
export const isAnyones = (operation: Operation) => scopeOf(operation) === "anyone"
export const isScoped = (operation: Operation) => !["anyone", "session"].includes(scopeOf(operation))
export const isOfOne = (operation: Operation) => operation.params.length > 0 && !isAnyones(operation)

let known: ReadonlyArray<Operation> | undefined

/** Cached, because the document is large and the same for every test of a run. */
const documented = Effect.suspend(() =>
  known === undefined ? Effect.tap(operations, (all) => Effect.sync(() => void (known = all))) : Effect.succeed(known)
)

type Which = (operation: Operation) => boolean

/** Calls each of these operations, and compares the answers, by name, with the expected ones. */
export const compare = Effect.fnUntraced(function* <A, E, R>(
  which: Which,
  ask: (operation: Operation) => Effect.Effect<A, E, R>,
  expected: (operation: Operation) => A
) {
  const chosen = (yield* documented).filter(which)
  assert.isNotEmpty(chosen)
  const answers = yield* Effect.forEach(chosen, (each) => Effect.map(ask(each), (answer) => [each.name, answer]), {
    concurrency: 8
  })
  assert.deepStrictEqual(
    Object.fromEntries(answers),
    Object.fromEntries(chosen.map((each) => [each.name, expected(each)]))
  )
})

export const outcome = ({ body, status }: { status: number; body: any }) => `${status} ${body?.code}`
