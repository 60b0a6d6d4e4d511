import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { Page } from "../../platform/fields/Page.ts"
import { canBecomeValid, PromoCode } from "./PromoCode.ts"
import { PromoCodesRepo } from "./PromoCodesRepo.ts"

export type NewPromoCode = Pick<
  PromoCode,
  "code" | "kind" | "value" | "valid_from" | "expires_at" | "use_limit" | "account_limit" | "offer_ids"
>

export class PromoCodeExists extends Schema.TaggedError<PromoCodeExists>()("PromoCodeExists", {
  code: Schema.String
}) {
  override get message() {
    return `The promo code ${this.code} exists already`
  }
}

/** The code expires before its start, or has already expired. */
export class PromoCodeNeverValid extends Schema.TaggedError<PromoCodeNeverValid>()("PromoCodeNeverValid", {
  code: Schema.String
}) {
  override get message() {
    return `The promo code ${this.code} must expire in the future and after its start`
  }
}

export class PromoCodeUnknown extends Schema.TaggedError<PromoCodeUnknown>()("PromoCodeUnknown", {
  code: Schema.String
}) {
  override get message() {
    return `There is no promo code ${this.code}`
  }
}

/** Promo codes for operators: adds, lists and disables them. */
export class PromoCodeRegistry extends Context.Service<
  PromoCodeRegistry,
  {
    readonly add: (code: NewPromoCode) => Effect.Effect<PromoCode, PromoCodeExists | PromoCodeNeverValid>
    /** Newest first, with the number of uses of each code. */
    readonly list: (page: Page) => Effect.Effect<ReadonlyArray<PromoCode & { readonly uses: number }>>
    /** Disables a code permanently. Orders that used it keep their price. */
    readonly disable: (code: string) => Effect.Effect<PromoCode, PromoCodeUnknown>
  }
>()("app/wallet/PromoCodeRegistry") {
  static readonly layerNoDeps = Layer.effect(
    PromoCodeRegistry,
    Effect.gen(function* () {
      const repo = yield* PromoCodesRepo

      const add = Effect.fn("PromoCodeRegistry.add")(function* (code: NewPromoCode) {
        if (!canBecomeValid(code, yield* DateTime.now)) return yield* new PromoCodeNeverValid({ code: code.code })
        const row = yield* Effect.orDie(PromoCode.insert.makeEffect(code))
        const added = yield* repo.insert(row)
        return Option.isSome(added) ? added.value : yield* new PromoCodeExists({ code: code.code })
      })

      const disable = Effect.fn("PromoCodeRegistry.disable")(function* (code: string) {
        const disabled = yield* repo.disable(code, yield* DateTime.now)
        return Option.isSome(disabled) ? disabled.value : yield* new PromoCodeUnknown({ code })
      })

      return PromoCodeRegistry.of({ add, list: repo.list, disable })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(PromoCodesRepo.layer))
}
