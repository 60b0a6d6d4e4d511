import { Cause, Context, DateTime, Effect, Layer, Option } from "effect"
import * as Failure from "../../platform/errors/Failure.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { RefundOutcome } from "../gateways/PaymentGateway.ts"
import { PaymentGateways } from "../gateways/PaymentGateways.ts"
import { Returns } from "../Returns.ts"
import * as BookGatewayRefund from "./BookGatewayRefund.ts"
import type { GatewayRefund, GatewayRefundId, GatewayRefundStatus } from "./GatewayRefund.ts"
import type { GatewayCannotRefund, MoreThanPaid } from "./GatewayRefundErrors.ts"
import { GatewayRefundOutcomes } from "./GatewayRefundOutcomes.ts"
import { GatewayRefundsRepo } from "./GatewayRefundsRepo.ts"

const callTimeout = "10 seconds"
/** The time until a refund is looked up: far above the time limit of a call. */
const lookAfter = { minutes: 1 }

const makeSending = Effect.gen(function* () {
  const atomically = yield* Atomically
  const gateways = yield* PaymentGateways
  const repo = yield* GatewayRefundsRepo
  const { settle } = yield* GatewayRefundOutcomes

  const settled = (refund: GatewayRefund, outcome: RefundOutcome) =>
    Effect.asVoid(atomically(settle(refund.id, outcome)))

  /** Asks the gateway. Without an answer the outcome is unknown, and the job looks it up. */
  const ask = Effect.fnUntraced(function* (id: GatewayRefundId, from: ReadonlyArray<GatewayRefundStatus>) {
    const now = yield* DateTime.now
    const refund = Option.getOrUndefined(yield* repo.send(id, from, now, DateTime.add(now, lookAfter)))
    const gateway = refund === undefined ? undefined : gateways.get(refund.payment_method)?.refunds
    if (refund === undefined || gateway === undefined) return
    const answer = yield* gateway.refund(refund).pipe(
      Effect.timeout(callTimeout),
      Effect.tapError((error) =>
        Effect.logWarning(
          ...Failure.logLine(`The refund ${id} has an unknown outcome; the job looks it up`, Cause.fail(error))
        )
      ),
      Effect.option
    )
    if (Option.isSome(answer)) return yield* settled(refund, answer.value)
    const later = yield* DateTime.now
    yield* repo.unanswered(id, later, DateTime.add(later, lookAfter))
  }, Effect.uninterruptible)

  const lookUp = Effect.fnUntraced(function* (refund: GatewayRefund) {
    const gateway = gateways.get(refund.payment_method)?.refunds
    if (gateway === undefined) return yield* Effect.logError(`No gateway knows the refund ${refund.id}`)
    const found = yield* gateway.find(refund).pipe(Effect.timeout(callTimeout), Effect.option)
    if (Option.isNone(found)) return yield* Effect.logWarning(`Cannot look up the refund ${refund.id} at its gateway`)
    if (Option.isSome(found.value)) return yield* settled(refund, found.value.value)
    if (refund.status === "pending")
      return yield* Effect.logError(`The gateway does not know the refund ${refund.id} any more`)
    // The id is the idempotency key, so a first request that is still on its way and this one are one refund.
    yield* ask(refund.id, ["sent", "unknown"])
  })

  return {
    ask: (id: GatewayRefundId) => ask(id, ["booked"]),
    review: Effect.fn("GatewayRefunds.review")((refund: GatewayRefund) =>
      refund.status === "booked" ? ask(refund.id, ["booked"]) : lookUp(refund)
    )
  }
})

/**
 * Pays returned money back to the charges that it came from. The money leaves the wallet before the gateway is asked, so a
 * crash loses nothing. A call whose outcome is unknown is looked up before it is repeated.
 */
export class GatewayRefunds extends Context.Service<
  GatewayRefunds,
  {
    /** Books refunds in the caller's transaction, and answers their ids. Call `send` when it has committed. */
    readonly book: (
      leaving: BookGatewayRefund.Leaving
    ) => Effect.Effect<ReadonlyArray<GatewayRefundId>, GatewayCannotRefund | MoreThanPaid>
    readonly send: (ids: ReadonlyArray<GatewayRefundId>) => Effect.Effect<void>
    /** Sends a booked refund, or looks up one whose outcome is not known. */
    readonly review: (refund: GatewayRefund) => Effect.Effect<void>
    readonly of: (order_refund_id: string) => Effect.Effect<ReadonlyArray<GatewayRefund>>
  }
>()("app/wallet/GatewayRefunds") {
  static readonly layerNoDeps = Layer.effect(
    GatewayRefunds,
    Effect.gen(function* () {
      const repo = yield* GatewayRefundsRepo
      const { ask, review } = yield* makeSending
      const send = (ids: ReadonlyArray<GatewayRefundId>) => Effect.forEach(ids, ask, { discard: true })
      return GatewayRefunds.of({ book: yield* BookGatewayRefund.make, send, review, of: repo.of })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([GatewayRefundOutcomes.layer, GatewayRefundsRepo.layer, Returns.layer])
  )
}
