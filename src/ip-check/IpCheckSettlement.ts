import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Atomically } from "../platform/postgres/Atomically.ts"
import { Wallets } from "../wallet/Wallets.ts"
import { type IpCheck, type IpCheckId, paymentReference, refundReference } from "./IpCheck.ts"
import { IpCheckSettlementRepo } from "./IpCheckSettlementRepo.ts"
import type { VendorReport } from "./signals/VendorReport.ts"
import type { Judgement } from "./signals/Verdict.ts"

/** Ends a pending check once: completes it with its result, or fails it and returns the money. */
export class IpCheckSettlement extends Context.Service<
  IpCheckSettlement,
  {
    /** Stores the result. None when the lease of the check has ended, or the check has already failed. */
    readonly complete: (
      id: IpCheckId,
      judgement: Judgement,
      reports: ReadonlyArray<VendorReport>
    ) => Effect.Effect<Option.Option<IpCheck>>
    /** Stores the raw answers of the vendors and returns the money. Changes nothing when the check has already ended. */
    readonly fail: (id: IpCheckId, reports: ReadonlyArray<VendorReport>) => Effect.Effect<void>
  }
>()("app/ip-check/IpCheckSettlement") {
  static readonly layerNoDeps = Layer.effect(
    IpCheckSettlement,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const repo = yield* IpCheckSettlementRepo
      const wallets = yield* Wallets

      const complete = Effect.fn("IpCheckSettlement.complete")(function* (
        id: IpCheckId,
        judgement: Judgement,
        reports: ReadonlyArray<VendorReport>
      ) {
        const now = yield* DateTime.now
        const completed = yield* repo.complete(id, judgement, reports, now)
        if (Option.isSome(completed)) yield* repo.keepAnswers(id, reports, now)
        return completed
      }, atomically)

      const fail = Effect.fn("IpCheckSettlement.fail")(function* (id: IpCheckId, reports: ReadonlyArray<VendorReport>) {
        const failed = yield* repo.fail(id)
        if (Option.isNone(failed)) return
        yield* repo.keepAnswers(id, reports, yield* DateTime.now)
        if (failed.value.is_free) return
        yield* wallets.refund({
          order_id: null,
          payment_reference: paymentReference(id),
          reference: refundReference(id),
          description: "Refund of a failed IP check"
        })
      }, atomically)

      return IpCheckSettlement.of({ complete, fail })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(IpCheckSettlementRepo.layer))
}
