import { DateTime } from "effect"
import type { ReturnablePayment } from "../../wallet/ReturnablePayment.ts"
import type { Order } from "../Order.ts"
import type { Term } from "./ProRata.ts"
import type { AppliedChange } from "./OrderRefundsRepo.ts"

/** A payment that can be returned, and what it bought. */
export interface PaidTerm extends Term {
  readonly payment: ReturnablePayment
}

/** The facts that a refund is computed from. `used_gb` is the traffic of the running cycle; null when nobody knows it. */
export interface Facts {
  readonly order: Order
  readonly delivered_at: DateTime.Utc
  /** The applied changes, the oldest first. */
  readonly changes: ReadonlyArray<AppliedChange>
  readonly payments: ReadonlyArray<ReturnablePayment>
  readonly used_gb: number | null
}

const millis = DateTime.toEpochMillis
const bytes = (gb: number) => BigInt(Math.round(gb * 1e9))

/** The start of an extension: it continues the cycle, or begins one. */
const startOf = ({ attempted_at, created_at, kind, previous_expires_at }: AppliedChange) =>
  millis(kind === "restart" ? (attempted_at ?? created_at) : previous_expires_at)

/** The times of the order and of each extension. A restart cuts the time before it off. */
const timesOf = ({ changes, delivered_at, order }: Facts) => {
  const extensions = changes.filter(({ kind }) => kind === "append" || kind === "restart")
  const starts = [millis(delivered_at), ...extensions.map(startOf)]
  const end = order.expires_at === null ? (starts.at(-1) ?? 0) : millis(order.expires_at)
  const times = starts.map((starts_at, at) => {
    const next = extensions[at]
    const ends_at = next === undefined ? end : Math.min(startOf(next), millis(next.previous_expires_at))
    return { starts_at, ends_at }
  })
  return {
    ofOrder: times[0] ?? null,
    ofChange: new Map(extensions.map(({ id }, at) => [id as string, times[at + 1] ?? null])),
    /** The extension that began the running cycle; undefined: the order did. */
    begunBy: extensions.findLast(({ kind }) => kind === "restart")
  }
}

/** The traffic of the running cycle. Traffic that was added last counts as unused first. Unknown use counts as all. */
const trafficOf = ({ changes, order, used_gb }: Facts, begunBy: AppliedChange | undefined) => {
  const limit = order.bandwidth_gb
  if (limit === null) return { base: null, added: new Map<string, { total: bigint; unused: bigint }>() }
  const since = begunBy === undefined ? 0 : changes.indexOf(begunBy) + 1
  let unused = used_gb === null ? 0n : bytes(Math.max(0, limit - used_gb))
  let base = bytes(limit)
  const added = new Map<string, { total: bigint; unused: bigint }>()
  for (const { added_gb, id } of changes
    .slice(since)
    .filter(({ kind }) => kind === "traffic")
    .toReversed()) {
    const total = bytes(added_gb ?? 0)
    const left = unused < total ? unused : total
    added.set(id, { total, unused: left })
    unused -= left
    base -= total
  }
  return { base: { total: base, unused }, added }
}

/** Lists the terms that the payments of an order bought. Traffic of an earlier cycle is gone. */
export const paidTerms = (facts: Facts): ReadonlyArray<PaidTerm> => {
  const { begunBy, ofChange, ofOrder } = timesOf(facts)
  const { added, base } = trafficOf(facts, begunBy)
  const kinds = new Map(facts.changes.map(({ id, kind }) => [`change:${id}`, { id: id as string, kind }]))
  return facts.payments.map((payment): PaidTerm => {
    const { amount: paid, reference, returned } = payment
    const change = kinds.get(reference)
    const common = { payment, paid, returned }
    if (change?.kind === "traffic")
      return { ...common, time: null, traffic: added.get(change.id) ?? { total: 1n, unused: 0n } }
    if (change === undefined) return { ...common, time: reference === facts.order.id ? ofOrder : null, traffic: base }
    return { ...common, time: ofChange.get(change.id) ?? null, traffic: base }
  })
}
