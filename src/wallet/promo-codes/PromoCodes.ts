import { Array as Arr, Context, DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { UserId } from "../../accounts/User.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import type { PromoCode } from "./PromoCode.ts"
import { discount, type OrderDiscount, type Sale } from "./PromoCodeDiscount.ts"
import { type PromoCodeRefusal, PromoCodeRefused } from "./PromoCodeRefused.ts"
import { PromoCodesRepo } from "./PromoCodesRepo.ts"

/** A request to buy `quantity` orders of an offer with a code. */
export interface PromoCodeSale extends Sale {
  readonly user_id: UserId
  /** The code in the customer's own spelling. */
  readonly code: string
  readonly offer_id: number
}

interface Redemption extends PromoCodeSale {
  /** The ids of the `quantity` orders. */
  readonly order_ids: Arr.NonEmptyReadonlyArray<string>
}

/** The discount of a code, with one entry for each order. */
export interface Discount {
  readonly promo_code_id: string
  readonly orders: Arr.NonEmptyArray<OrderDiscount>
}

interface Preview {
  readonly promo_code: PromoCode
  /** The number of times that the account may still use the code. */
  readonly uses_left: number
  readonly discount: Discount
}

const normalized = (code: string) => code.trim().toUpperCase()

/** The reason to refuse the code to every account; undefined when there is none. */
const refusalOf = (code: PromoCode, offer_id: number, now: DateTime.Utc): PromoCodeRefusal | undefined => {
  if (code.disabled_at !== null) return "disabled"
  if (code.valid_from !== null && DateTime.isLessThan(now, code.valid_from)) return { valid_from: code.valid_from }
  if (code.expires_at !== null && DateTime.isGreaterThanOrEqualTo(now, code.expires_at)) return "expired"
  if (code.offer_ids !== null && !code.offer_ids.includes(offer_id)) return "other_offer"
  return undefined
}

const refusedAt =
  (...loc: ReadonlyArray<string>) =>
  (refusal: PromoCodeRefusal) =>
    PromoCodeRefused.of(loc, refusal)
const inBody = refusedAt("body", "promo_code")

const make = Effect.gen(function* () {
  const atomically = yield* Atomically
  const repo = yield* PromoCodesRepo

  /** Fails with the reason to refuse the code. */
  const judge = Effect.fnUntraced(function* (
    { code, offer_id, user_id, ...sale }: PromoCodeSale,
    now: DateTime.Utc,
    find: (code: string) => Effect.Effect<Option.Option<PromoCode>>
  ): Effect.fn.Return<Preview, PromoCodeRefusal> {
    const promo_code = Option.getOrUndefined(yield* find(normalized(code)))
    if (promo_code === undefined) return yield* Effect.fail("unknown" as const)
    const refusal = refusalOf(promo_code, offer_id, now)
    if (refusal !== undefined) return yield* Effect.fail(refusal)

    const { account_uses, uses } = yield* repo.usage(promo_code.id, user_id)
    if (promo_code.use_limit !== null && (uses ?? 0) >= promo_code.use_limit)
      return yield* Effect.fail("used_up" as const)
    if (account_uses >= promo_code.account_limit) return yield* Effect.fail("used_by_account" as const)

    const orders = discount(promo_code, sale)
    if (orders.every(({ discount }) => discount === 0n)) return yield* Effect.fail("no_discount" as const)
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

/** Promo codes for customers. A refusal is a fault of the request's `promo_code`, with the reason. */
export class PromoCodes extends Context.Service<
  PromoCodes,
  {
    /** Computes the discount without using the code. */
    readonly quote: (sale: PromoCodeSale) => Effect.Effect<Discount, RequestInvalid>
    /** Computes the discount and returns the terms of the code. A refusal is a fault of the query's `code`. */
    readonly preview: (sale: PromoCodeSale) => Effect.Effect<Preview, RequestInvalid>
    /** Uses the code once for all the orders, in the caller's transaction. */
    readonly redeem: (redemption: Redemption) => Effect.Effect<Discount, RequestInvalid>
    /** Releases orders that failed, in the caller's transaction. A use counts until all its orders are released. */
    readonly release: (order_ids: ReadonlyArray<string>) => Effect.Effect<void>
  }
>()("app/wallet/PromoCodes") {
  static readonly layerNoDeps = Layer.effect(PromoCodes, Effect.map(make, PromoCodes.of))

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(PromoCodesRepo.layer))
}
