import { Cause, Context, DateTime, Effect, Layer, type Option } from "effect"
import type { UserId } from "../../accounts/User.ts"
import * as Failure from "../../platform/errors/Failure.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { CardSaved, GatewayFailed } from "../gateways/PaymentGateway.ts"
import { PaymentGateways } from "../gateways/PaymentGateways.ts"
import { PausedMethodsRepo } from "../PausedMethodsRepo.ts"
import { CardNotFound, CardsNotOffered, PaymentMethodUnavailable, TooManyCards } from "../PaymentErrors.ts"
import { SavedCard, type SavedCardId } from "../SavedCard.ts"
import { Wallets } from "../Wallets.ts"
import { SavedCardsRepo } from "./SavedCardsRepo.ts"

/** Maximum number of saved cards of one account. */
const mostCards = 5

/** A gateway's id of a page. It comes from the address of the way back. */
const isPageId = (text: string) => /^[\w-]{1,255}$/.test(text)

const unavailable = (failure: GatewayFailed) =>
  Effect.andThen(
    Effect.logError(...Failure.logLine("Cannot save a card at its gateway", Cause.fail(failure))),
    Effect.fail(new PaymentMethodUnavailable())
  )

/** The cards that customers save at the payment gateway. No data of a card that can be charged elsewhere comes here. */
export class SavedCards extends Context.Service<
  SavedCards,
  {
    /** True when a gateway is configured that keeps cards. */
    readonly areOffered: boolean
    readonly list: (owner: UserId) => Effect.Effect<ReadonlyArray<SavedCard>>
    /** Fails when the owner can save no other card. */
    readonly roomFor: (owner: UserId) => Effect.Effect<void, CardsNotOffered | TooManyCards>
    /** Opens the gateway's page on which the owner saves a card; returns its address. */
    readonly begin: (owner: UserId) => Effect.Effect<string, CardsNotOffered | PaymentMethodUnavailable | TooManyCards>
    /**
     * Stores the card of a page from which the owner comes back; returns false when the page has no card of the owner. The
     * gateway also reports the card by a call.
     */
    readonly complete: (owner: UserId, page_id: string) => Effect.Effect<boolean, PaymentMethodUnavailable>
    /** Stores a card that the gateway reports, once. */
    readonly store: (card: CardSaved) => Effect.Effect<boolean>
    /** Removes a card. The gateway removes it soon after, also when it does not answer now. */
    readonly remove: (owner: UserId, id: SavedCardId) => Effect.Effect<void, CardNotFound>
    /** A card, also one that its owner removed; none when its gateway has removed it. */
    readonly find: (id: SavedCardId) => Effect.Effect<Option.Option<SavedCard>>
  }
>()("app/wallet/SavedCards") {
  static readonly layerNoDeps = Layer.effect(
    SavedCards,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const paused = yield* PausedMethodsRepo
      const gateway = (yield* PaymentGateways).get("card_gateway")?.cards
      const repo = yield* SavedCardsRepo
      const wallets = yield* Wallets

      const list = Effect.fn("SavedCards.list")((owner: UserId) => repo.listOf(owner, mostCards))

      const gatewayFor = Effect.fn("SavedCards.gatewayFor")(function* (owner: UserId) {
        if (gateway === undefined) return yield* new CardsNotOffered()
        if ((yield* list(owner)).length >= mostCards) return yield* new TooManyCards({ details: { limit: mostCards } })
        return gateway
      })

      const begin = Effect.fn("SavedCards.begin")(function* (owner: UserId) {
        const { begin } = yield* gatewayFor(owner)
        if (yield* paused.isPaused("card_gateway")) return yield* new PaymentMethodUnavailable()
        return yield* Effect.catch(begin(owner), unavailable)
      })

      const store = Effect.fn("SavedCards.store")(function* ({ _tag, ...saved }: CardSaved) {
        yield* wallets.lock(saved.user_id)
        return yield* repo.insert(yield* Effect.orDie(SavedCard.insert.makeEffect(saved)), mostCards)
      }, atomically)

      const complete = Effect.fn("SavedCards.complete")(function* (owner: UserId, page_id: string) {
        if (gateway === undefined || !isPageId(page_id)) return false
        const found = yield* Effect.catch(gateway.saved(page_id), unavailable)
        const own = found.filter(({ user_id }) => user_id === owner)
        yield* Effect.forEach(own, store)
        return own.length > 0
      })

      const remove = Effect.fn("SavedCards.remove")(function* (owner: UserId, id: SavedCardId) {
        // Every writer locks the wallets before the cards and the settings.
        yield* wallets.lock(owner)
        if (!(yield* repo.remove(owner, id, yield* DateTime.now))) return yield* new CardNotFound()
      }, atomically)

      return SavedCards.of({
        areOffered: gateway !== undefined,
        list,
        roomFor: (owner) => Effect.asVoid(gatewayFor(owner)),
        begin,
        complete,
        store,
        remove,
        find: repo.find
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([PausedMethodsRepo.layer, SavedCardsRepo.layer]))
}
