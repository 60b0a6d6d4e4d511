import { Array as Arr, Context, DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { UserId } from "../../accounts/User.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import type { PromoCode } from "./PromoCode.ts"
import { discount, type Sale } from "./PromoCodeDiscount.ts"
import { PromoCodesRepo } from "./PromoCodesRepo.ts"

/** A request to buy `quantity` orders of an offer with a code. */
export interface PromoCodeSale extends Sale {
  readonly user_id: UserId
  /** As the customer wrote it. */
  readonly code: string
  readonly offer_id: number
}

interface Redemption extends PromoCodeSale {
  /** `quantity` of them. */
  readonly order_ids: Arr.NonEmptyReadonlyArray<string>
}

/** What a code takes off, one entry for each order. */
export interface Discount {
  readonly promo_code_id: string
  readonly orders: ReturnType<typeof discount>
}

interface Preview {
  readonly promo_code: PromoCode
  /** How often the account may still use it. */
  readonly uses_left: number
  readonly discount: Discount
}

const normalized = (code: string) => code.trim().toUpperCase()

/** Why the code cannot be used, whoever asks. */
const refusalOf = (code: PromoCode, offer_id: number, now: DateTime.Utc): string | undefined => {
  if (code.disabled_at !== null) return "The promo code is no longer valid"
  if (code.valid_from !== null && DateTime.isLessThan(now, code.valid_from))
    return `The promo code is valid from ${DateTime.formatIso(code.valid_from)}`
  if (code.expires_at !== null && DateTime.isGreaterThanOrEqualTo(now, code.expires_at))
    return "The promo code has expired"
  if (code.offer_ids !== null && !code.offer_ids.includes(offer_id)) return "The promo code is not for this offer"
  return undefined
}

const refusedAt =
  (...loc: ReadonlyArray<string>) =>
  (refusal: string) =>
    RequestInvalid.at(loc, refusal)
const inBody = refusedAt("body", "promo_code")

const make = Effect.gen(function* () {
  const atomically = yield* Atomically
  const repo = yield* PromoCodesRepo

  /** Fails with what to tell the customer. */
  const judge = Effect.fnUntraced(function* (
    { code, offer_id, user_id, ...sale }: PromoCodeSale,
    now: DateTime.Utc,
    find: (code: string) => Effect.Effect<Option.Option<PromoCode>>
  ): Effect.fn.Return<Preview, string> {
    const promo_code = Option.getOrUndefined(yield* find(normalized(code)))
    if (promo_code === undefined) return yield* Effect.fail("There is no such promo code")
    const refusal = refusalOf(promo_code, offer_id, now)
    if (refusal !== undefined) return yield* Effect.fail(refusal)

    const { account_uses, uses } = yield* repo.usage(promo_code.id, user_id)
    if (promo_code.use_limit !== null && (uses ?? 0) >= promo_code.use_limit)
      return yield* Effect.fail("The promo code is used up")
    if (account_uses >= promo_code.account_limit)
      return yield* Effect.fail("You have used the promo code as often as an account may")

    const orders = discount(promo_code, sale)
    if (orders.every(({ discount }) => discount === 0n))
      return yield* Effect.fail("The promo code takes nothing off at this price")
    const total = (promo_code.use_limit ?? Number.MAX_SAFE_INTEGER) - (uses ?? 0)
    return {
      promo_code,
      uses_left: Math.min(total, promo_code.account_limit - account_uses),
      discount: { promo_code_id: promo_code.id, orders }
    }
  })

  const quote = Effect.fn("PromoCodes.quote")(function* (sale: PromoCodeSale) {
    const { discount } = yield* Effect.mapError(judge(sale, yield* DateTime.now, repo.find), inBody)
    return discount
  })

  const preview = Effect.fn("PromoCodes.preview")(function* (sale: PromoCodeSale) {
    return yield* Effect.mapError(judge(sale, yield* DateTime.now, repo.find), refusedAt("query", "code"))
  })

  const redeem = Effect.fn("PromoCodes.redeem")(function* ({ order_ids, ...sale }: Redemption) {
    const now = yield* DateTime.now
    const { discount, promo_code } = yield* Effect.mapError(judge(sale, now, repo.lock), inBody)
    const use = {
      promo_code_id: promo_code.id,
      user_id: sale.user_id,
      use_id: SecureRandom.uuidV7Unsafe(),
      created_at: now
    }
    yield* repo.use(Arr.map(order_ids, (order_id) => ({ ...use, order_id })))
    return discount
  }, atomically)

  const release = Effect.fn("PromoCodes.release")(function* (order_ids: ReadonlyArray<string>) {
    if (order_ids.length > 0) yield* repo.release(order_ids, yield* DateTime.now)
  })

  return { quote, preview, redeem, release }
})

/** Promo codes as customers use them. A refusal is a fault of the request's `promo_code` that says why. */
export class PromoCodes extends Context.Service<
  PromoCodes,
  {
    readonly quote: (sale: PromoCodeSale) => Effect.Effect<Discount, RequestInvalid>
    /** The same with what is behind the code; a fault is one of the query's `code`. */
    readonly preview: (sale: PromoCodeSale) => Effect.Effect<Preview, RequestInvalid>
    /** Uses the code once for all these orders, in the caller's transaction. */
    readonly redeem: (redemption: Redemption) => Effect.Effect<Discount, RequestInvalid>
    /** In the caller's transaction: these orders came to nothing. The use counts until none of its orders is left. */
    readonly release: (order_ids: ReadonlyArray<string>) => Effect.Effect<void>
  }
>()("app/wallet/PromoCodes") {
  static readonly layerNoDeps = Layer.effect(PromoCodes, Effect.map(make, PromoCodes.of))

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(PromoCodesRepo.layer))
}
