import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Atomically } from "../platform/postgres/Atomically.ts"
import { Wallets } from "../wallet/Wallets.ts"
import { type IpCheck, type IpCheckId, paymentReference, refundReference } from "./IpCheck.ts"
import { IpCheckSettlementRepo } from "./IpCheckSettlementRepo.ts"
import type { VendorReport } from "./signals/VendorReport.ts"
import type { Judgement } from "./signals/Verdict.ts"

/** Ends pending checks, each once: with a result that stays paid for, or with nothing and the money returned. */
export class IpCheckSettlement extends Context.Service<
  IpCheckSettlement,
  {
    /** None when the check has failed meanwhile: whoever was at work on it took longer than its lease. */
    readonly complete: (
      id: IpCheckId,
      judgement: Judgement,
      reports: ReadonlyArray<VendorReport>
    ) => Effect.Effect<Option.Option<IpCheck>>
    /** Keeps what the vendors said, and returns the money. Changes nothing once the check has ended. */
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
          description: "Refund of an IP check that came to nothing"
        })
      }, atomically)

      return IpCheckSettlement.of({ complete, fail })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(IpCheckSettlementRepo.layer))
}
