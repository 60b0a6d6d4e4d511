import { Context, Effect, Layer } from "effect"
import type { DisputeFilter } from "../../wallet/payments/Dispute.ts"
import { type DisputeNotFound, Disputes } from "../../wallet/payments/Disputes.ts"
import { type DisputeView, disputeView } from "./DisputeView.ts"

type View = typeof DisputeView.Type

/** The disputes of customers as staff see them. */
export class StaffDisputes extends Context.Service<
  StaffDisputes,
  {
    readonly get: (id: string) => Effect.Effect<View, DisputeNotFound>
    /** Lists disputes that need an answer oldest first, and others newest first. */
    readonly list: (filter: DisputeFilter, limit: number) => Effect.Effect<ReadonlyArray<View>>
  }
>()("app/staff/StaffDisputes") {
  static readonly layerNoDeps = Layer.effect(
    StaffDisputes,
    Effect.gen(function* () {
      const disputes = yield* Disputes
      return StaffDisputes.of({
        get: (id) => Effect.map(disputes.find(id), disputeView),
        list: (filter, limit) => Effect.map(disputes.list(filter, limit), (all) => all.map(disputeView))
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(Disputes.layer))
}
