import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { Notifications } from "../../notifications/Notifications.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import type { Decline } from "../gateways/PaymentGateway.ts"
import type { PaymentIntent } from "../PaymentIntent.ts"
import type { SavedCard } from "../SavedCard.ts"
import { Wallets } from "../Wallets.ts"
import { shortestPause } from "./AutoTopUp.ts"
import * as AutoTopUpNotices from "./AutoTopUpNotices.ts"
import { AutoTopUpsRepo, type Situation } from "./AutoTopUpsRepo.ts"
import { SavedCardsRepo } from "./SavedCardsRepo.ts"

/** The pauses after the declines in a row that may pass. One more decline switches automatic top-up off. */
const pauses = [{ hours: 1 }, { hours: 12 }] as const
/** The pause after a payment that did not reach the bank of the card. */
const notChargedPause = { minutes: 10 }

/** A payment that is due now. */
export interface DueTopUp {
  readonly amount: bigint
  readonly card: SavedCard
}

const isWanted = ({ balance, is_on, is_pending, purchases_stopped, threshold }: Situation) =>
  is_on && balance < threshold && !purchases_stopped && !is_pending

const makeNext = Effect.gen(function* () {
  const { app_url } = yield* Addresses
  const cards = yield* SavedCardsRepo
  const notifications = yield* Notifications
  const repo = yield* AutoTopUpsRepo

  /** Tells the account once a month. The next month begins with another look. */
  const limited = Effect.fnUntraced(function* ({ is_told, monthly_limit, user_id }: Situation, now: DateTime.Utc) {
    const month = DateTime.startOf(now, "month")
    yield* repo.told(user_id, month, DateTime.add(month, { months: 1 }))
    const notice = AutoTopUpNotices.limited(user_id, monthly_limit, `${app_url}/wallet/auto-top-up`)
    if (!is_told) yield* notifications.add([notice])
  })

  return Effect.fn("AutoTopUpOutcomes.next")(function* (user_id: UserId) {
    const now = yield* DateTime.now
    const situation = Option.getOrUndefined(yield* repo.lock(user_id, now))
    if (situation === undefined) return Option.none<DueTopUp>()
    const { amount, card_id, monthly_limit, not_before, used } = situation
    const isEarly = not_before !== null && DateTime.isGreaterThan(not_before, now)
    const isLimited = used + amount > monthly_limit
    yield* repo.rest(user_id, isWanted(situation) && isEarly ? not_before : null)
    if (!isWanted(situation) || isEarly || card_id === null) return Option.none<DueTopUp>()
    if (isLimited) return yield* Effect.as(limited(situation, now), Option.none<DueTopUp>())
    return Option.map(yield* cards.find(card_id), (card): DueTopUp => ({ amount, card }))
  })
})

const makeDeclined = Effect.gen(function* () {
  const { app_url } = yield* Addresses
  const cards = yield* SavedCardsRepo
  const notifications = yield* Notifications
  const repo = yield* AutoTopUpsRepo
  const wallets = yield* Wallets
  const page = `${app_url}/wallet/auto-top-up`

  return Effect.fn("AutoTopUpOutcomes.declined")(function* (intent: PaymentIntent, decline: Decline) {
    const { amount, card_id, user_id } = intent
    // Every writer locks the wallets before the settings.
    yield* wallets.lock(user_id)
    const now = yield* DateTime.now
    const situation = Option.getOrUndefined(yield* repo.lock(user_id, now))
    // The owner has deleted the account.
    if (situation === undefined) return
    const putOff = (pause: Parameters<typeof DateTime.add>[1]) =>
      repo.putOff(user_id, situation.declines, DateTime.add(now, pause))
    // The owner has chosen another card in the meantime.
    if (situation.card_id !== card_id || card_id === null) return yield* putOff(shortestPause)
    if (decline === "not_charged") return yield* putOff(notChargedPause)
    const card = Option.getOrUndefined(yield* cards.find(card_id))
    const pause = decline === "declined" ? pauses[situation.declines] : undefined
    if (pause === undefined) {
      // The owner may switch it on again at once.
      yield* putOff(shortestPause)
      if (yield* repo.stop(user_id, decline, now))
        yield* notifications.add([AutoTopUpNotices.stopped(user_id, decline, card, page)])
      return
    }
    const again = DateTime.add(now, pause)
    yield* repo.putOff(user_id, situation.declines + 1, again)
    if (situation.is_on) yield* notifications.add([AutoTopUpNotices.failed(user_id, amount, card, again, page)])
  })
})

/** When an account is topped up, and what follows from the payments. Each call is a part of the caller's transaction. */
export class AutoTopUpOutcomes extends Context.Service<
  AutoTopUpOutcomes,
  {
    /** Claims accounts whose balance may have fallen below their threshold. */
    readonly claim: (limit: number, lease: DateTime.Utc) => Effect.Effect<ReadonlyArray<UserId>>
    /** Decides what is due for an account, whose wallets are locked. */
    readonly next: (owner: UserId) => Effect.Effect<Option.Option<DueTopUp>>
    /** Puts an account off that cannot pay now. */
    readonly putOff: (owner: UserId) => Effect.Effect<void>
    /** Tells the owner about a payment. The wallets are locked. */
    readonly made: (intent: PaymentIntent, amount: bigint) => Effect.Effect<void>
    /** Puts the next payment off, or switches automatic top-up off. */
    readonly declined: (intent: PaymentIntent, decline: Decline) => Effect.Effect<void>
    /** Switches automatic top-up off when its charge is refunded or disputed. The wallets are locked. */
    readonly reversed: (owner: UserId, charge_id: string) => Effect.Effect<void>
  }
>()("app/wallet/AutoTopUpOutcomes") {
  static readonly layerNoDeps = Layer.effect(
    AutoTopUpOutcomes,
    Effect.gen(function* () {
      const { app_url } = yield* Addresses
      const cards = yield* SavedCardsRepo
      const notifications = yield* Notifications
      const repo = yield* AutoTopUpsRepo

      const claim = Effect.fn("AutoTopUpOutcomes.claim")(function* (limit: number, lease: DateTime.Utc) {
        return (yield* repo.claim(yield* DateTime.now, lease, limit)).map(({ user_id }) => user_id)
      })

      const putOff = Effect.fn("AutoTopUpOutcomes.putOff")(function* (owner: UserId) {
        yield* repo.rest(owner, DateTime.add(yield* DateTime.now, notChargedPause))
      })

      const made = Effect.fn("AutoTopUpOutcomes.made")(function* ({ card_id, user_id }: PaymentIntent, amount: bigint) {
        yield* repo.made(user_id)
        const card = card_id === null ? Option.none() : yield* cards.find(card_id)
        yield* notifications.add([AutoTopUpNotices.made(user_id, amount, Option.getOrUndefined(card))])
      })

      const reversed = Effect.fn("AutoTopUpOutcomes.reversed")(function* (owner: UserId, charge_id: string) {
        if (!(yield* repo.isAutomatic(owner, charge_id))) return
        const page = `${app_url}/wallet/auto-top-up`
        if (yield* repo.stop(owner, "reversed", yield* DateTime.now))
          yield* notifications.add([AutoTopUpNotices.stopped(owner, "reversed", undefined, page)])
      })

      return AutoTopUpOutcomes.of({
        claim,
        next: yield* makeNext,
        putOff,
        made,
        declined: yield* makeDeclined,
        reversed
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Addresses.layer, AutoTopUpsRepo.layer, Notifications.layer, SavedCardsRepo.layer])
  )
}
