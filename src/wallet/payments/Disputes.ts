import { Context, Effect, Layer, Option } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"
import type { Dispute, DisputeFilter } from "./Dispute.ts"
import { DisputesRepo } from "./DisputesRepo.ts"

export class DisputeNotFound extends ApiError<DisputeNotFound>()("DisputeNotFound", {
  status: 404,
  detail: "There is no such dispute"
}) {}

/** The disputes that gateways report. `PaymentReversals` books their money, `DisputeRounds` stops and returns proxies. */
export class Disputes extends Context.Service<
  Disputes,
  {
    /** Finds a dispute by its id at the gateway. */
    readonly find: (id: string) => Effect.Effect<Dispute, DisputeNotFound>
    /** Lists disputes that need an answer oldest first, and others newest first. */
    readonly list: (filter: DisputeFilter, limit: number) => Effect.Effect<ReadonlyArray<Dispute>>
  }
>()("app/wallet/Disputes") {
  static readonly layerNoDeps = Layer.effect(
    Disputes,
    Effect.gen(function* () {
      const repo = yield* DisputesRepo
      const find = Effect.fn("Disputes.find")(function* (id: string) {
        return Option.getOrUndefined(yield* repo.find(id)) ?? (yield* new DisputeNotFound())
      })
      return Disputes.of({ find, list: repo.list })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(DisputesRepo.layer))
}
