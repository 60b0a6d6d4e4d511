import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Chargeback, type Record, wasMade } from "./Record.ts"
import * as Restricting from "./Restricting.ts"
import { countries, type Lease, type VendorBook } from "./VendorBook.ts"

export interface OrderRow {
  readonly id: string
  readonly notes: string | null
  readonly user_id: string
  readonly provider: string
  readonly status: string
  readonly provider_proxy_id: string | null
  readonly country: string
  readonly created_at: Date
  readonly expires_at: Date | null
  /** In micro-dollars. */
  readonly total: string
  /** The number of changes of this order that were made. */
  readonly applied: number
}

/** A credited charge of a payment gateway, and its account. */
interface Credit {
  readonly charge: string
  readonly user_id: string
  readonly micros: string
  readonly times: number
}

/** A reversal of a payment in the database. Those of Stripe are compared by `reconcile`. */
interface Taken {
  readonly id: string
  readonly user_id: string
  readonly status: string
  /** The number of entries that took it from the wallet; `debited` is their sum minus the returned money. */
  readonly times: number
  readonly debited: string
  readonly is_stopped: boolean
}

/** The state of the database. */
export interface Facts {
  readonly orders: ReadonlyArray<OrderRow>
  readonly credits: ReadonlyArray<Credit>
  readonly reversals: ReadonlyArray<Taken>
  /** The accounts that are deleted. */
  readonly gone: ReadonlySet<string>
  readonly depositIds: ReadonlySet<string>
  /** The events of the deliveries that the database has as made. */
  readonly delivered: ReadonlyArray<string>
}

const facts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const orders = yield* sql<OrderRow>`
    SELECT id, notes, user_id, provider, status, provider_proxy_id, country, created_at, expires_at, total::text,
      (SELECT count(*)::int FROM proxy_change c WHERE c.order_id = o.id AND c.status = 'applied'
        AND c.origin <> 'staff') AS applied
    FROM proxy_order o
  `
  const credits = yield* sql<Credit>`
    SELECT external_id AS charge, user_id, sum(amount)::text AS micros, count(*)::int AS times FROM wallet_transaction
    WHERE transaction_type = 'deposit' AND status = 'completed' AND reference NOT LIKE 'reversal:%'
      AND reference NOT LIKE 'referral:%' AND cause IS NULL GROUP BY external_id, user_id
  `
  const reversals = yield* sql<Taken>`
    SELECT r.reversal_id AS id, r.user_id, r.status,
      (count(t.id) FILTER (WHERE t.transaction_type = 'withdrawal'))::int AS times, coalesce(-sum(t.amount), 0)::text AS debited,
      EXISTS (SELECT FROM wallet w WHERE w.user_id = r.user_id AND w.purchases_stopped) AS is_stopped
    FROM payment_reversal r LEFT JOIN wallet_transaction t ON t.user_id = r.user_id AND t.status = 'completed'
      AND starts_with(t.reference, 'reversal:' || r.payment_method || ':' || r.reversal_id)
    WHERE r.payment_method = 'crypto_gateway'
    GROUP BY r.payment_method, r.reversal_id
  `
  const gone = yield* sql<{ id: string }>`SELECT id FROM user_account WHERE deleted_at IS NOT NULL`
  const deposits = yield* sql<{ id: string }>`SELECT id FROM wallet_transaction WHERE transaction_type = 'deposit'`
  const deliveries = yield* sql<{ id: string }>`SELECT event_id AS id FROM webhook_delivery WHERE status = 'delivered'`
  const all: Facts = {
    orders,
    credits,
    reversals,
    gone: new Set(gone.map(({ id }) => id)),
    depositIds: new Set(deposits.map(({ id }) => id)),
    delivered: deliveries.map(({ id }) => id)
  }
  return all
})

const countsBy = <A>(all: ReadonlyArray<A>, keyOf: (one: A) => string) => {
  const counts = new Map<string, number>()
  for (const one of all) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1)
  return counts
}

/** Names a broken invariant once, with the first rows that break it. */
const named = (name: string, broken: ReadonlyArray<string>): ReadonlyArray<string> =>
  broken.length === 0 ? [] : [`${name}: ${broken.length}, such as ${broken[0]}`]

/** Each request made all of its orders once or none, and every customer with an acknowledged order has it. */
const orders = ({ orders }: Record, rows: ReadonlyArray<OrderRow>) => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const byKey = countsBy(rows, ({ notes }) => notes ?? "")
  const keys = new Set(orders.map(({ key }) => key))
  return [
    ...named(
      "every acknowledged order exists",
      orders.filter(wasMade).flatMap(({ account, answer, key }) =>
        answer!.body
          .filter(({ id }: { id: string }) => {
            const row = byId.get(id)
            return row?.notes !== key || row.user_id !== account.id
          })
          .map(({ id }: { id: string }) => id)
      )
    ),
    ...named("the orders are those of the distinct idempotency keys", [
      ...orders.flatMap((purchase) => {
        const made = byKey.get(purchase.key) ?? 0
        const isRight = wasMade(purchase)
          ? made === purchase.quantity
          : made === 0 || (purchase.answer === undefined && made === purchase.quantity)
        return isRight
          ? []
          : [`key ${purchase.key}: ${made} orders instead of ${wasMade(purchase) ? purchase.quantity : 0}`]
      }),
      ...rows.filter(({ notes }) => !keys.has(notes ?? "")).map(({ id }) => `order ${id} of no request`)
    ])
  ]
}

/** An order within the time of a quote pays at most the quoted price. */
const quotes = ({ orders }: Record, rows: ReadonlyArray<OrderRow>) => {
  const quoted = new Map(orders.map(({ key, quoted }) => [key, quoted]))
  return named(
    "an order pays at most its quote",
    rows.flatMap(({ created_at, id, notes, total }) => {
      const { price, until } = quoted.get(notes ?? "") ?? { price: Infinity, until: 0 }
      return created_at.getTime() < until && Number(total) > price ? [`order ${id}: ${total} instead of ${price}`] : []
    })
  )
}

/** The service made every acknowledged change, and no other. */
const changes = ({ changes }: Record, rows: ReadonlyArray<OrderRow>) => {
  const made = countsBy(changes.filter(wasMade), ({ order_id }) => order_id ?? "")
  const open = countsBy(
    changes.filter(({ answer }) => answer === undefined),
    ({ order_id }) => order_id ?? ""
  )
  return named(
    "the made changes are the acknowledged ones",
    rows.flatMap(({ applied, id }) => {
      const told = made.get(id) ?? 0
      return applied >= told && applied <= told + (open.get(id) ?? 0)
        ? []
        : [`order ${id}: ${applied} instead of ${told}`]
    })
  )
}

/** Every payment that the gateway received was credited once. */
const payments = ({ deposits, payments }: Record, { credits, depositIds }: Facts) => {
  const byCharge = new Map(credits.map((row) => [row.charge, row]))
  const charges = new Set([...payments.values()].map(({ charge_id }) => charge_id))
  return [
    ...named(
      "every acknowledged deposit exists",
      deposits.filter((id) => !depositIds.has(id))
    ),
    ...named("a payment is credited once, whole, and to the account that made it", [
      ...[...payments.values()].flatMap(({ amount, charge_id, isConfirmed, user_id }) => {
        const row = byCharge.get(charge_id)
        if (row === undefined) return isConfirmed ? [`${charge_id} never`] : []
        const isWhole = Number(row.micros) === Math.round(Number(amount) * 1e6) && row.user_id === user_id
        return isWhole && row.times === 1 ? [] : [`${charge_id} ${row.times} times, ${row.micros} in all`]
      }),
      ...credits.filter(({ charge }) => !charges.has(charge)).map(({ charge }) => `${charge}, which nobody paid`)
    ])
  ]
}

const microsOf = (dollars: number) => Math.round(dollars * 1e6)
const sum = (all: ReadonlyArray<number>) => all.reduce((sum, one) => sum + one, 0)

/** Describes the difference between a payment's recorded reversals and their reports; undefined if there is none. */
const misbooked = ({ orderedAfter, reversals, user_id, whole }: Chargeback, rows: ReadonlyMap<string, Taken>) => {
  const found = reversals.flatMap(({ reversal_id }) => rows.get(reversal_id) ?? [])
  if (found.length < reversals.length) return "is not on record"
  const [other] = reversals.filter(({ isReturned, reversal_id: id }) => {
    const row = rows.get(id)
    return row?.user_id !== user_id || row.status !== (isReturned ? "returned" : "taken")
  })
  if (other !== undefined) return `has another status or account in ${other.reversal_id}`
  const claims = reversals.filter(({ isReturned }) => !isReturned)
  // Two reversals may claim the same money, which is taken once.
  const expected = microsOf(Math.min(whole, sum(claims.map(({ amount }) => amount))))
  const debited = sum(found.map((row) => Number(row.debited)))
  if (found.some(({ times }) => times > 1) || debited !== expected)
    return `took ${debited} instead of ${expected}, in ${sum(found.map(({ times }) => times))} entries`
  const isStopped = claims.length > 0
  if (found.some(({ is_stopped }) => is_stopped !== isStopped))
    return `has ${isStopped ? "not " : ""}stopped its account`
  return orderedAfter === undefined || orderedAfter === (isStopped ? 403 : 201)
    ? undefined
    : `and an order was answered ${orderedAfter}`
}

/**
 * The claims of a payment's reversals leave the wallet once, and its account buys nothing unless all reversals came to
 * nothing.
 */
const reversals = ({ chargebacks }: Record, rows: Facts["reversals"]) => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const reported = new Set(chargebacks.flatMap(({ reversals }) => reversals.map(({ reversal_id }) => reversal_id)))
  return named("a payment that goes back is taken once, and stops its account", [
    ...chargebacks.flatMap((chargeback) => {
      const wrong = chargeback.isConfirmed ? misbooked(chargeback, byId) : undefined
      return wrong === undefined ? [] : [`${chargeback.reversals[0]?.reversal_id} ${wrong}`]
    }),
    ...rows.filter(({ id }) => !reported.has(id)).map(({ id }) => `${id}, which nobody reported`)
  ])
}

const countryOf = new Map(countries.map(({ code, id }) => [id, code]))

/** Describes how an order contradicts its lease; the vendor reports the end in whole seconds. */
const misfit = ({ country, expires_at, id }: OrderRow, lease: Lease | undefined): string | undefined => {
  if (lease === undefined) return `order ${id} has no lease`
  if (countryOf.get(lease.country) !== country) return `order ${id} for ${country} has a lease in ${lease.country}`
  const end = Math.floor(lease.end / 1000) * 1000
  return expires_at?.getTime() === end
    ? undefined
    : `order ${id} ends at ${expires_at?.toISOString()}, its lease at ${new Date(end).toISOString()}`
}

/** Compares the vendor's own book with the orders. */
const leases = (book: VendorBook, rows: ReadonlyArray<OrderRow>) => {
  const live = rows.filter(({ provider, status }) => provider === "proxy-seller" && status === "provisioned")
  const byLease = new Map(live.map((row) => [row.provider_proxy_id ?? "", row]))
  return [
    ...named("the vendor's leases are the provisioned orders", [
      ...book.leases
        .filter((lease) => byLease.has(lease.order_id) === book.isReleased(lease))
        .map(
          (lease) =>
            `lease ${lease.order_id} ${book.isReleased(lease) ? "was released under its owner" : "has no order"}`
        ),
      ...live.flatMap((row) => misfit(row, book.lease(row.provider_proxy_id ?? "")) ?? []),
      ...live
        .filter((row) => byLease.get(row.provider_proxy_id ?? "") !== row)
        .map(({ id, provider_proxy_id }) => `order ${id} shares the lease ${provider_proxy_id}`)
    ]),
    ...named(
      "the vendor prolonged the paid extensions",
      book.leases.flatMap(({ order_id, prolonged }) => {
        const applied = byLease.get(order_id)?.applied ?? 0
        return prolonged === applied ? [] : [`lease ${order_id}: ${prolonged} times instead of ${applied}`]
      })
    )
  ]
}

/** Every delivery that the database has as made has arrived. */
const deliveries = ({ received }: Record, { delivered }: Facts) =>
  named(
    "every delivered event has arrived",
    delivered.filter((id) => !received.has(id))
  )

/** Compares the records of clients, vendor and payment gateway with the database. */
export const compare = (record: Record, book: VendorBook, facts: Facts): ReadonlyArray<string> => [
  ...named("every request is answered, and always in the same words", record.contradictions),
  ...named("every journey comes to its end", record.failures),
  ...orders(record, facts.orders),
  ...quotes(record, facts.orders),
  ...changes(record, facts.orders),
  ...payments(record, facts),
  ...reversals(record, facts.reversals),
  ...named("a restriction refuses orders, and its end allows them", Restricting.misanswered(record)),
  ...named(
    "every acknowledged deletion of an account was made",
    record.left.filter((id) => !facts.gone.has(id))
  ),
  ...leases(book, facts.orders),
  ...deliveries(record, facts)
]

export const violations = (record: Record, book: VendorBook) =>
  Effect.map(facts, (facts) => compare(record, book, facts))
