import { Context, DateTime, Effect, Layer, type Option } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { AutoTopUpNotSet, CardNotFound, CardsNotOffered } from "../PaymentErrors.ts"
import { Wallets } from "../Wallets.ts"
import { type AutoTopUp, type AutoTopUpChoice, shortestPause } from "./AutoTopUp.ts"
import { AutoTopUpsRepo } from "./AutoTopUpsRepo.ts"
import { SavedCards } from "./SavedCards.ts"

/** The settings of automatic top-up. Only a signed-in person changes them. */
export class AutoTopUps extends Context.Service<
  AutoTopUps,
  {
    readonly find: (owner: UserId) => Effect.Effect<Option.Option<AutoTopUp>>
    readonly get: (owner: UserId) => Effect.Effect<AutoTopUp, AutoTopUpNotSet>
    /** Stores the settings. If the balance is below the threshold, a job soon charges the card. */
    readonly set: (
      owner: UserId,
      choice: AutoTopUpChoice
    ) => Effect.Effect<AutoTopUp, AutoTopUpNotSet | CardNotFound | CardsNotOffered>
  }
>()("app/wallet/AutoTopUps") {
  static readonly layerNoDeps = Layer.effect(
    AutoTopUps,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const cards = yield* SavedCards
      const repo = yield* AutoTopUpsRepo
      const wallets = yield* Wallets

      const find = Effect.fn("AutoTopUps.find")(function* (owner: UserId) {
        return yield* repo.find(owner, yield* DateTime.now)
      })

      const get = Effect.fn("AutoTopUps.get")(function* (owner: UserId) {
        return yield* Effect.mapError(Effect.flatMap(find(owner), Effect.fromOption), () => new AutoTopUpNotSet())
      })

      const set = Effect.fn("AutoTopUps.set")(function* (owner: UserId, choice: AutoTopUpChoice) {
        if (choice.is_on && !cards.areOffered) return yield* new CardsNotOffered()
        // Creates missing wallets. The lock comes before the settings, and keeps the card from being removed.
        yield* wallets.list(owner)
        yield* wallets.lock(owner)
        if (!(yield* cards.list(owner)).some(({ id }) => id === choice.card_id)) return yield* new CardNotFound()
        const now = yield* DateTime.now
        yield* repo.write(owner, choice, now, DateTime.add(now, shortestPause))
        return yield* get(owner)
      }, atomically)

      return AutoTopUps.of({ find, get, set })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([AutoTopUpsRepo.layer, SavedCards.layer]))
}
