import { assert, it } from "@effect/vitest"
import { compare } from "../../faults/CareInvariants.ts"

const care = [
  { key: "made", micros: 5, isMade: true },
  { key: "open", micros: 7, isMade: false }
]

it.each<[string, ReadonlyArray<{ id: string; amount: string }>, ReadonlyArray<string>]>([
  ["an acknowledged action that is booked", [{ id: "made", amount: "5" }], []],
  [
    "an action without an answer that is booked",
    [
      { id: "made", amount: "5" },
      { id: "open", amount: "7" }
    ],
    []
  ],
  ["an acknowledged action that is not booked", [], ["made moved nothing instead of 5"]],
  ["another amount", [{ id: "made", amount: "6" }], ["made moved 6 instead of 5"]],
  [
    "an action that nobody asked for",
    [
      { id: "made", amount: "5" },
      { id: "else", amount: "5" }
    ],
    ["else, which nobody asked for"]
  ]
])("%s", (_, booked, expected) => {
  assert.deepStrictEqual(
    compare({ care }, booked),
    expected.map((text) => `an action of staff is made once, as it was answered: 1, such as ${text}`)
  )
})
