import { Schema } from "effect"
import { OrderId } from "../Order.ts"
import { failuresToFail, ProbeError, type ProbeStatus, Vantage } from "./Probe.ts"

const Time = Schema.NullOr(Schema.DateTimeUtcFromDate)

/** What the tries of a proxy from one vantage say. */
export const ProxyHealth = Schema.Struct({
  order_id: OrderId,
  vantage: Vantage,
  /** The last try with an outcome, and the last that worked. */
  tried_at: Time,
  worked_at: Time,
  /** The failures in a row: their number, the time of the first, and the reason of the last. */
  failures: Schema.Int,
  failing_since: Time,
  error: Schema.NullOr(ProbeError),
  /** The last failure that was at least the third in a row. */
  failed_at: Time
})
export type ProxyHealth = typeof ProxyHealth.Type

/** Tells how a proxy does. Tries from outside decide: the own node of a proxy may be wrong about it. */
export const healthOf = (vantages: ReadonlyArray<ProxyHealth>): ProbeStatus => {
  const outside = vantages.filter(({ tried_at, vantage }) => tried_at !== null && vantage !== "self")
  if (outside.length === 0) return "unknown"
  if (outside.some(({ failures }) => failures === 0)) return "ok"
  return outside.every(({ failures }) => failures >= failuresToFail) ? "failing" : "unknown"
}
