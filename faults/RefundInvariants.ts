import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Stripe } from "./Stripe.ts"

/** A refund in the database that has ended. */
export interface RefundRow {
  readonly id: string
  readonly status: string
  readonly cents: number
}

const rows = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<RefundRow>`SELECT id, status, (amount / 10000)::int AS cents FROM gateway_refund`
)

type Refund = Stripe["refunds"] extends ReadonlyMap<string, infer A> ? A : never

const invariant = "a refund to a card is made once, and its outcome is known"

/** Compares the refunds of Stripe with those of the service. Stripe has no record of a refund that it refused. */
export const compare = (refunds: Iterable<Refund>, rows: ReadonlyArray<RefundRow>): ReadonlyArray<string> => {
  const made = Map.groupBy(refunds, ({ metadata }) => metadata["refund_id"] ?? "")
  const asked = new Set(rows.map(({ id }) => id))
  const broken = [
    ...rows.flatMap(({ cents, id, status }) => {
      const [one, ...more] = made.get(id) ?? []
      const isRight = one === undefined ? status === "failed" : one.status === status && one.amount === cents
      return isRight && more.length === 0
        ? []
        : [
            `${id} is ${status} with ${cents} cents, and at Stripe ${one?.status} with ${one?.amount}, ${more.length + 1} times`
          ]
    }),
    ...[...made.keys()].filter((id) => !asked.has(id)).map((id) => `${id}, which nobody asked for`)
  ]
  return broken.length === 0 ? [] : [`${invariant}: ${broken.length}, such as ${broken[0]}`]
}

export const violations = (refunds: Stripe["refunds"]) => Effect.map(rows, (rows) => compare(refunds.values(), rows))
