import { Context, Effect, Layer } from "effect"
import type { UserId } from "../accounts/User.ts"
import type { AccountEvent } from "./OAuthEvent.ts"
import { OAuthEventsRepo } from "./OAuthEventsRepo.ts"

/** Lists the events between accounts and apps, for the operator. */
export class OAuthEvents extends Context.Service<
  OAuthEvents,
  {
    /** Lists events, the newest first; null in the filter means any. */
    readonly list: (filter: {
      readonly user_id: UserId | null
      readonly client_id: string | null
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<AccountEvent>>
  }
>()("app/oauth/OAuthEvents") {
  static readonly layerNoDeps = Layer.effect(
    OAuthEvents,
    Effect.map(OAuthEventsRepo, (repo) => OAuthEvents.of({ list: Effect.fn("OAuthEvents.list")(repo.list) }))
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(OAuthEventsRepo.layer))
}
