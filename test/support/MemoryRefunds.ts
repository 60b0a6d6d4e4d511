import { Effect, Option } from "effect"
import {
  type ChargeRefund,
  GatewayFailed,
  type RefundGateway,
  type RefundOutcome
} from "../../src/wallet/gateways/PaymentGateway.ts"

/**
 * What a request to refund does: it succeeds, waits for the bank, is refused, or its answer is lost after or before the refund.
 */
export type RefundBehaviour = "succeeds" | "waits" | "refuses" | "answer lost" | "request lost"

/** Refunds of a payment gateway in memory. A repeated id gets the first refund. */
export const make = () => {
  const made = new Map<string, ChargeRefund & RefundOutcome>()
  const next: Array<RefundBehaviour> = []
  const calls: Array<string> = []

  const refund = ({ amount, charge_id, id }: ChargeRefund): Effect.Effect<RefundOutcome, GatewayFailed> =>
    Effect.suspend((): Effect.Effect<RefundOutcome, GatewayFailed> => {
      calls.push(id)
      const known = made.get(id)
      if (known !== undefined) return Effect.succeed(known)
      const behaviour = next.shift() ?? "succeeds"
      const lost = Effect.fail(new GatewayFailed({ reason: "no answer" }))
      if (behaviour === "request lost") return lost
      if (behaviour === "refuses")
        return Effect.succeed({ status: "failed" as const, gateway_refund_id: null, failure: "charge_disputed" })
      const status = behaviour === "waits" ? "pending" : "succeeded"
      const outcome = { id, charge_id, amount, status, gateway_refund_id: `re_${id}`, failure: null } as const
      made.set(id, outcome)
      return behaviour === "answer lost" ? lost : Effect.succeed(outcome)
    })

  const gateway: RefundGateway = {
    unit: 10_000n,
    refund,
    find: ({ id }) => Effect.sync(() => Option.fromUndefinedOr(made.get(id)))
  }

  return {
    gateway,
    made,
    /** The ids that the service asked to refund, in order. */
    calls,
    /** The behaviour of the next requests. */
    next: (...behaviours: ReadonlyArray<RefundBehaviour>) => void next.push(...behaviours)
  }
}
