import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Record } from "./Record.ts"
import type { Stripe } from "./Stripe.ts"

/** A payment of a saved card in the database. */
export interface TopUpRow {
  readonly id: string
  /** The month in which it counts. */
  readonly month: string
}

const rows = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<TopUpRow>`
    SELECT id, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month FROM payment_intent WHERE card_id IS NOT NULL
  `
)

type Charge = Stripe["payments"] extends ReadonlyMap<string, infer A> ? A : never
type Payments = Iterable<Charge>

const intentOf = ({ metadata }: Charge) => metadata["payment_intent_id"] ?? ""

/** Records the charges that took money, so that each is compared with its credit. */
export const note = (record: Record, payments: Payments) => {
  for (const payment of payments) {
    const { amount, id, payment_method, status } = payment
    const user_id = record.cards.get(payment_method)?.user_id ?? ""
    const paid = { intent: intentOf(payment), charge_id: id, amount: (amount / 100).toFixed(2), user_id }
    if (status === "succeeded") record.payments.set(id, { ...paid, isConfirmed: true })
  }
}

const named = (name: string, broken: ReadonlyArray<string>): ReadonlyArray<string> =>
  broken.length === 0 ? [] : [`${name}: ${broken.length}, such as ${broken[0]}`]

const grouped = <A>(all: ReadonlyArray<A>, keyOf: (one: A) => string) => Map.groupBy(all, keyOf)

/** Compares the charges of Stripe with the payments of the service, and with what the customers agreed to. */
export const compare = ({ cards }: Record, payments: Payments, rows: ReadonlyArray<TopUpRow>) => {
  const all = [...payments]
  const paid = all.filter(({ status }) => status === "succeeded")
  const months = new Map(rows.map(({ id, month }) => [id, month]))
  const spent = grouped(paid, (charge) => `${charge.payment_method} in ${months.get(intentOf(charge))}`)
  return [
    ...named(
      "a card is charged once for a payment",
      [...grouped(paid, intentOf)]
        .filter(([intent, charges]) => charges.length > 1 || !months.has(intent))
        .map(([intent, charges]) => `${intent} ${charges.length} times`)
    ),
    ...named(
      "a card pays no more than the limit of its month",
      [...spent].flatMap(([what, charges]) => {
        const sum = charges.reduce((sum, { amount }) => sum + amount, 0) / 100
        const limit = cards.get(charges[0]?.payment_method ?? "")?.monthly_limit ?? 0
        return sum > limit ? [`${what}: ${sum} instead of ${limit} dollars`] : []
      })
    ),
    ...named(
      "a declined charge takes no money later",
      all.filter(({ status }) => status !== "succeeded" && status !== "canceled").map(({ id }) => id)
    )
  ]
}

/** Also records the charges, which the answers are compared with. */
export const violations = (record: Record, payments: ReadonlyMap<string, Charge>) =>
  Effect.map(rows, (rows) => {
    note(record, payments.values())
    return compare(record, payments.values(), rows)
  })
