import { assert, it } from "@effect/vitest"
import { compare, compareWithdrawals } from "../../faults/CareInvariants.ts"

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

const withdrawals = [
  { id: "sent", micros: 5, isAsked: true, ends: ["sent"] },
  { id: "open", micros: 7, isAsked: false, ends: [] }
]

const sent = { id: "sent", amount: "5", status: "sent" }

it.each<[string, ReadonlyArray<typeof sent>, ReadonlyArray<string>]>([
  ["a withdrawal that is as it was answered", [sent], []],
  ["one without an answer that is made", [sent, { id: "open", amount: "7", status: "requested" }], []],
  ["an acknowledged one that is not on record", [], ["sent took nothing instead of 5"]],
  ["another amount of a withdrawal", [{ ...sent, amount: "6" }], ["sent took 6 instead of 5"]],
  ["another end", [{ ...sent, status: "cancelled" }], ["sent is cancelled, and was acknowledged as sent"]],
  ["one that nobody asked for", [sent, { ...sent, id: "else" }], ["else, which nobody asked for"]]
])("%s", (_, stored, expected) => {
  assert.deepStrictEqual(
    compareWithdrawals({ withdrawals }, stored),
    expected.map((text) => `a withdrawal is as it was answered: 1, such as ${text}`)
  )
})
