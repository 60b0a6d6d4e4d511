import { Context, Effect, Layer } from "effect"
import { CallCountsRepo } from "./CallCountsRepo.ts"

/** The calls of providers that all processes have counted. */
export class CallHistory extends Context.Service<CallHistory, Pick<CallCountsRepo["Service"], "since">>()(
  "app/provider/CallHistory"
) {
  static readonly layer = Layer.effect(
    CallHistory,
    Effect.map(CallCountsRepo, ({ since }) => CallHistory.of({ since }))
  ).pipe(Layer.provide(CallCountsRepo.layer))
}
