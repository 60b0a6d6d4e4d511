import { Config, DateTime, Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import type { UserId } from "../../accounts/User.ts"
import { isPublicText } from "../../platform/outbound/PublicAddress.ts"
import { ClientAddress } from "../../platform/requests/ClientAddress.ts"
import { networksOf } from "../../platform/requests/SourceNetworks.ts"
import * as Setting from "../../platform/settings/IntegerSetting.ts"
import { PaymentMethodUnavailable, TooManyOpenPayments } from "../PaymentErrors.ts"
import type { PaymentIntent, PaymentIntentId } from "../PaymentIntent.ts"
import * as RealMoney from "../RealMoney.ts"
import { NewAccountLimitsRepo } from "./NewAccountLimitsRepo.ts"
import { PaymentOutOfBounds } from "./PaymentOutOfBounds.ts"

type Request = Pick<PaymentIntent, "user_id" | "purpose" | "payment_method" | "currency" | "amount">

const microsPerDollar = 1_000_000n

/** An account is new for this time, and until a payment of it is as old. */
const newFor = { days: 7 }

/** Reads a limit; 0 turns it off. Without a gateway that takes real money nobody tests cards, so it is off by default. */
const limit = Effect.fnUntraced(function* (name: string, most: number, byDefault: number) {
  const isReal = (yield* RealMoney.gateways).length > 0
  return yield* Setting.integer(name, 0, most).pipe(Config.withDefault(isReal ? byDefault : 0))
})

/** The client's network. Undefined outside of a request, and for a private address, which many people may share. */
const makeNetwork = Effect.gen(function* () {
  const client = yield* ClientAddress
  return Effect.flatMap(
    Effect.serviceOption(HttpServerRequest.HttpServerRequest),
    Option.match({
      onNone: () => Effect.succeed(undefined),
      onSome: (request) =>
        client.current.pipe(
          Effect.provideService(HttpServerRequest.HttpServerRequest, request),
          Effect.map((address) => (isPublicText(address) ? networksOf(address).network : undefined))
        )
    })
  )
})

/**
 * Bounds what people do with stolen cards: an account that is new may not open many payments, pay much in a day, or open
 * one card payment after another. An account with a settled payment of a week ago has none of these limits.
 */
export const make = Effect.gen(function* () {
  const repo = yield* NewAccountLimitsRepo
  const network = yield* makeNetwork
  const openAtMost = yield* limit("NEW_ACCOUNT_OPEN_PAYMENTS", 20, 3)
  const dailyUsd = BigInt(yield* limit("NEW_ACCOUNT_DAILY_USD", 1_000_000, 100)) * microsPerDollar
  const cardUsd = BigInt(yield* limit("NEW_ACCOUNT_CARD_MIN_USD", 1_000, 5)) * microsPerDollar
  const triesAtMost = yield* limit("CARD_TRIES_PER_HOUR", 1_000, 5)
  const isOff = openAtMost === 0 && dailyUsd === 0n && cardUsd === 0n && triesAtMost === 0

  /** Refuses a payment that a customer asks for. Exact only while the account's wallets are locked. */
  const admit = Effect.fn("NewAccountLimits.admit")(function* (owner: UserId, request: Request) {
    if (isOff) return
    const { amount, currency, payment_method, purpose } = request
    const now = yield* DateTime.now
    const since = { old: DateTime.subtract(now, newFor), day: DateTime.subtract(now, { days: 1 }) }
    const hour = DateTime.subtract(now, { hours: 1 })
    const seen = yield* repo.ofAccount(owner, { ...since, hour })
    if (!seen.is_new) return
    const isCard = payment_method === "card_gateway"
    if (isCard && purpose === "deposit" && amount < cardUsd)
      return yield* PaymentOutOfBounds.of(request, { kind: "new_card_least", amount: cardUsd, currency: "USD" })
    if (openAtMost > 0 && seen.open >= openAtMost)
      return yield* new TooManyOpenPayments({ details: { limit: openAtMost } })
    if (isCard && triesAtMost > 0) {
      const from = yield* network
      const nearby = from === undefined ? 0 : yield* repo.ofNetwork(from, hour)
      if (seen.card_tries >= triesAtMost || nearby >= 2 * triesAtMost) return yield* new PaymentMethodUnavailable()
    }
    if (dailyUsd > 0n && currency === "USD" && seen.asked_usd + amount > dailyUsd)
      return yield* PaymentOutOfBounds.of(request, { kind: "new_daily_most", amount: dailyUsd, currency: "USD" })
  })

  /** Records the client's network of a card payment for a day. */
  const note = Effect.fnUntraced(function* (id: PaymentIntentId, method: Request["payment_method"]) {
    if (triesAtMost === 0 || method !== "card_gateway") return
    const from = yield* network
    if (from !== undefined) yield* repo.note(id, from, yield* DateTime.now)
  })

  return { admit, note }
})
