import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Record } from "./Record.ts"

/** Money that staff has moved. */
interface Moved {
  readonly id: string
  readonly amount: string
}

const invariant = "an action of staff is made once, as it was answered"

/** Every acknowledged credit and refund of staff is booked with its amount, and no other. */
export const compare = ({ care }: Pick<Record, "care">, booked: ReadonlyArray<Moved>): ReadonlyArray<string> => {
  const amounts = new Map(booked.map(({ amount, id }) => [id, amount]))
  const asked = new Set(care.map(({ key }) => key))
  const broken = [
    ...care
      .filter(({ isMade, key, micros }) => isMade && amounts.get(key) !== String(micros))
      .map(({ key, micros }) => `${key} moved ${amounts.get(key) ?? "nothing"} instead of ${micros}`),
    ...booked.filter(({ id }) => !asked.has(id)).map(({ id }) => `${id}, which nobody asked for`)
  ]
  return broken.length === 0 ? [] : [`${invariant}: ${broken.length}, such as ${broken[0]}`]
}

/** A request as the database has it. */
interface Stored {
  readonly id: string
  readonly amount: string
  readonly status: string
}

/** Every acknowledged withdrawal is on record with its amount and its one acknowledged end, and no other. */
export const compareWithdrawals = (
  { withdrawals }: Pick<Record, "withdrawals">,
  stored: ReadonlyArray<Stored>
): ReadonlyArray<string> => {
  const known = new Map(stored.map((one) => [one.id, one]))
  const asked = new Set(withdrawals.map(({ id }) => id))
  const broken = [
    ...withdrawals.flatMap(({ ends, id, isAsked, micros }) => {
      const one = known.get(id)
      if (isAsked && one?.amount !== String(micros))
        return [`${id} took ${one?.amount ?? "nothing"} instead of ${micros}`]
      return ends.some((end) => end !== one?.status) ? [`${id} is ${one?.status}, and was acknowledged as ${ends}`] : []
    }),
    ...stored.filter(({ id }) => !asked.has(id)).map(({ id }) => `${id}, which nobody asked for`)
  ]
  return broken.length === 0 ? [] : [`a withdrawal is as it was answered: ${broken.length}, such as ${broken[0]}`]
}

/** Every acknowledged change that staff gave is on record, and no other. */
const compareGiven = ({ given }: Pick<Record, "given">, stored: ReadonlyArray<string>): ReadonlyArray<string> => {
  const asked = new Set(given.map(({ key }) => key))
  const broken = [
    ...given.filter(({ isMade, key }) => isMade && !stored.includes(key)).map(({ key }) => `${key} is not on record`),
    ...stored.filter((id) => !asked.has(id)).map((id) => `${id}, which nobody asked for`)
  ]
  return broken.length === 0 ? [] : [`what staff gives is as it was answered: ${broken.length}, such as ${broken[0]}`]
}

export const violations = Effect.fnUntraced(function* (record: Record) {
  const sql = yield* SqlClient.SqlClient
  const booked = yield* sql<Moved>`
    SELECT id, amount::text FROM wallet_adjustment WHERE status = 'booked'
    UNION ALL SELECT id, amount::text FROM order_refund WHERE status = 'booked'
  `
  const stored = yield* sql<Stored>`SELECT id, amount::text, status FROM payout`
  const given = yield* sql<{ id: string }>`SELECT id FROM proxy_change WHERE origin = 'staff'`
  return [
    ...compare(record, booked),
    ...compareWithdrawals(record, stored),
    ...compareGiven(
      record,
      given.map(({ id }) => id)
    )
  ]
})
