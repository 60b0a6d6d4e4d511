import { Effect } from "effect"
import { SqlClient } from "effect/sql"

interface Entry {
  readonly id: string
  readonly wallet_id: string
  readonly currency: "USD" | "STAR"
  readonly type: string
  readonly cause: string | null
  readonly reference: string
  readonly amount: bigint
  readonly amount_usd: bigint | null
  readonly at: Date
  readonly refunded: string | null
}

interface OrderRow {
  readonly id: string
  readonly cost_usd: bigint | null
  readonly status: string
  readonly delivered_at: Date | null
  readonly expires_at: Date | null
  readonly updated_at: Date
}

interface ChangeRow {
  readonly id: string
  readonly order_id: string
  readonly kind: string
  readonly origin: string
  readonly cost_usd: bigint | null
  readonly attempted_at: Date
  readonly previous_expires_at: Date
  readonly expires_at: Date
  readonly updated_at: Date
}

interface Term {
  readonly payment: Entry
  readonly usd: bigint
  readonly cost: bigint | null
  readonly delivered: bigint
  readonly starts: bigint
  readonly ends: bigint
  readonly ended: bigint
}

const never = 10n ** 18n
const millis = (date: Date) => BigInt(date.getTime())
const least = (one: bigint, other: bigint) => (one < other ? one : other)
const most = (one: bigint, other: bigint) => (one > other ? one : other)
const sum = <A>(all: ReadonlyArray<A>, of: (one: A) => bigint) => all.reduce((total, one) => total + of(one), 0n)

const readAll = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const entries = yield* sql<Entry>`
    SELECT id, wallet_id, currency, transaction_type AS type, cause, reference, amount, amount_usd, updated_at AS at,
      refunded_transaction_id AS refunded
    FROM wallet_transaction WHERE status = 'completed' ORDER BY updated_at, seq`
  const orders = yield* sql<OrderRow>`
    SELECT o.id, o.cost_usd, o.status, o.expires_at, o.updated_at,
      (SELECT finished_at FROM provisioning_attempt a WHERE a.order_id = o.id AND outcome = 'provisioned') AS delivered_at
    FROM proxy_order o`
  const changes = yield* sql<ChangeRow>`
    SELECT id, order_id, kind, origin, cost_usd, attempted_at, previous_expires_at, expires_at, updated_at
    FROM proxy_change WHERE status = 'applied' ORDER BY created_at, id`
  return { entries, orders, changes }
})

type Records = Effect.Success<typeof readAll>

const usdOf = ({ amount, amount_usd }: Entry) => amount_usd ?? (amount < 0n ? -amount : amount)

/** Each payment with the term that it bought, and the end of that term. */
const termsOf = ({ changes, entries, orders }: Records): ReadonlyArray<Term> => {
  const payments = new Map(entries.filter(({ type }) => type === "payment").map((entry) => [entry.reference, entry]))
  const term = (payment: Entry | undefined, order: OrderRow, times: Pick<Term, "starts" | "ends">, row: any) => {
    if (payment === undefined) return []
    const restarts = changes.filter((one) => one.order_id === order.id && one.kind === "restart" && one.id !== row.id)
    const later = restarts.map((one) => millis(one.attempted_at)).filter((at) => at >= millis(payment.at))
    const end = ["expired", "cancelled", "refunded"].includes(order.status) ? millis(order.updated_at) : never
    const ended = later.reduce(least, end)
    const delivered = millis(row.delivered_at ?? row.updated_at)
    const base = { payment, usd: usdOf(payment), cost: row.cost_usd as bigint | null, delivered, ...times }
    return [{ ...base, ends: most(times.starts, times.ends), ended: ended < times.ends ? ended : never }]
  }
  return orders.flatMap((order) => {
    if (order.delivered_at === null || order.expires_at === null) return []
    const own = changes.filter(({ order_id }) => order_id === order.id)
    const first = own.find(({ kind }) => kind !== "traffic")?.previous_expires_at ?? order.expires_at
    const times = { starts: millis(order.delivered_at), ends: millis(first) }
    return [
      ...term(payments.get(order.id), order, times, order),
      ...own.flatMap((change) => {
        const { attempted_at, expires_at, kind, previous_expires_at, updated_at } = change
        const starts = { append: previous_expires_at, restart: attempted_at, traffic: updated_at }[kind] ?? updated_at
        const bought = { starts: millis(starts), ends: millis(expires_at) }
        return term(payments.get(`change:${change.id}`), order, bought, change)
      })
    ]
  })
}

const within = (from: bigint, to: bigint) => (entry: Entry) => millis(entry.at) >= from && millis(entry.at) < to

/** True for a refund of what was not delivered. */
const isWhole = ({ cause, reference }: Entry) => cause === null && !reference.startsWith("refund:")

/** Sums over all records, without the tables and triggers of the reports. */
export const straightSums = Effect.map(readAll, (records) => {
  const { entries } = records
  const gifts = records.changes.filter(({ cost_usd, origin }) => origin === "staff" && cost_usd !== null)
  const terms = termsOf(records)
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const termOf = new Map(terms.map((term) => [term.payment.id, term]))
  const refunds = entries.filter(({ type }) => type === "refund")
  const usdOfRefund = ({ amount, currency, refunded }: Entry) => {
    const paid = byId.get(refunded ?? "")
    if (currency === "USD" || paid === undefined) return amount
    return (usdOf(paid) * amount * 2n - paid.amount) / (-2n * paid.amount)
  }
  return {
    terms,
    refunds,
    gifts,
    revenue: (from: bigint, to: bigint) => {
      const mine = entries.filter(within(from, to))
      const back = mine.filter(({ type }) => type === "refund")
      return {
        gross: sum(
          mine.filter(({ type }) => type === "payment"),
          usdOf
        ),
        reversed: sum(back.filter(isWhole), usdOfRefund),
        returned: sum(
          back.filter((entry) => !isWhole(entry)),
          usdOfRefund
        )
      }
    },
    margin: (from: bigint, to: bigint) => {
      const delivered = terms.filter((term) => term.delivered >= from && term.delivered < to)
      const costed = delivered.filter(({ cost }) => cost !== null)
      const given = gifts.filter(({ updated_at }) => millis(updated_at) >= from && millis(updated_at) < to)
      const back = refunds.filter(within(from, to)).filter((entry) => termOf.get(entry.refunded ?? "")?.cost != null)
      return {
        deliveries: delivered.length,
        costed: costed.length,
        margin:
          sum(costed, ({ cost, usd }) => usd - (cost ?? 0n)) -
          sum(back, usdOfRefund) -
          sum(given, ({ cost_usd }) => cost_usd ?? 0n)
      }
    },
    liabilities: (to: bigint, currency: string) => {
      const mine = entries.filter((entry) => entry.currency === currency && millis(entry.at) < to)
      const wallets = Map.groupBy(mine, ({ wallet_id }) => wallet_id)
      const granted = sum([...wallets.values()], (own) => {
        const given = sum(
          own.filter(({ cause }) => cause === "goodwill"),
          ({ amount }) => amount
        )
        const spent = sum(
          own.filter(({ type }) => type === "payment" || type === "refund"),
          ({ amount }) => amount
        )
        return most(
          0n,
          least(
            sum(own, ({ amount }) => amount),
            given + spent
          )
        )
      })
      return { balance: sum(mine, ({ amount }) => amount), granted }
    },
    unearned: (to: bigint) => {
      const back = (payment: Entry) =>
        sum(
          refunds.filter((entry) => entry.refunded === payment.id && millis(entry.at) < to),
          usdOfRefund
        )
      const running = terms.filter(({ ended, ends, payment }) => millis(payment.at) < to && ends > to && ended >= to)
      const left = sum(running, ({ ends, payment, starts, usd }) => {
        const whole = ends - starts
        return whole === 0n ? usd - back(payment) : ((usd - back(payment)) * (ends - most(starts, to))) / whole
      })
      const waiting = entries.filter((entry) => {
        const settled = refunds.find(({ refunded }) => refunded === entry.id)
        const isOpen = settled === undefined || millis(settled.at) >= to
        return entry.type === "payment" && millis(entry.at) < to && !termOf.has(entry.id) && isOpen
      })
      return left + sum(waiting, usdOf)
    }
  }
})
