import { Context, DateTime, Effect, Layer, Option } from "effect"
import { canBecomeValid, PromoCode, type PromoCodeId } from "./PromoCode.ts"
import { PromoCodeEnded, PromoCodeExists, PromoCodeNeverValid, PromoCodeUnknown } from "./PromoCodeErrors.ts"
import { PromoCodesRepo, type PromoCodeUse } from "./PromoCodesRepo.ts"

export type NewPromoCode = Pick<
  PromoCode,
  "code" | "kind" | "value" | "valid_from" | "expires_at" | "use_limit" | "account_limit" | "offer_ids"
>

/** A code with the number of requests that use it. */
export type CountedPromoCode = PromoCode & { readonly uses: number }

/** The terms that may change after the code is known. */
export type PromoCodeLimits = Pick<PromoCode, "expires_at" | "use_limit" | "account_limit">

/** Promo codes for operators: adds, lists, limits and ends them. */
export class PromoCodeRegistry extends Context.Service<
  PromoCodeRegistry,
  {
    readonly add: (code: NewPromoCode) => Effect.Effect<PromoCode, PromoCodeExists | PromoCodeNeverValid>
    /** Newest first; older ones than the code with the id `after`. */
    readonly list: (limit: number, after?: string) => Effect.Effect<ReadonlyArray<CountedPromoCode>>
    readonly get: (id: PromoCodeId) => Effect.Effect<CountedPromoCode, PromoCodeUnknown>
    readonly named: (code: string) => Effect.Effect<PromoCode, PromoCodeUnknown>
    /** The orders that used a code, the newest first; older ones than the order `after`. */
    readonly uses: (id: PromoCodeId, limit: number, after?: string) => Effect.Effect<ReadonlyArray<PromoCodeUse>>
    /** Changes the limits from now on. Orders that used the code keep their price. */
    readonly limit: (
      id: PromoCodeId,
      limits: PromoCodeLimits
    ) => Effect.Effect<CountedPromoCode, PromoCodeEnded | PromoCodeNeverValid | PromoCodeUnknown>
    /** Ends a code for good. Orders that used it keep their price. */
    readonly end: (id: PromoCodeId) => Effect.Effect<CountedPromoCode, PromoCodeUnknown>
  }
>()("app/wallet/PromoCodeRegistry") {
  static readonly layerNoDeps = Layer.effect(
    PromoCodeRegistry,
    Effect.gen(function* () {
      const repo = yield* PromoCodesRepo

      const add = Effect.fn("PromoCodeRegistry.add")(function* (code: NewPromoCode) {
        if (!canBecomeValid(code, yield* DateTime.now)) return yield* PromoCodeNeverValid.of(code.code)
        const row = yield* Effect.orDie(PromoCode.insert.makeEffect(code))
        const added = yield* repo.insert(row)
        return Option.isSome(added) ? added.value : yield* PromoCodeExists.of(code.code)
      })

      const get = Effect.fn("PromoCodeRegistry.get")(function* (id: PromoCodeId) {
        const found = yield* repo.get(id)
        return Option.isSome(found) ? found.value : yield* new PromoCodeUnknown()
      })

      const named = Effect.fn("PromoCodeRegistry.named")(function* (code: string) {
        const found = yield* repo.find(code)
        return Option.isSome(found) ? found.value : yield* PromoCodeUnknown.of(code)
      })

      const limit = Effect.fn("PromoCodeRegistry.limit")(function* (id: PromoCodeId, limits: PromoCodeLimits) {
        const now = yield* DateTime.now
        const found = yield* get(id)
        if (!canBecomeValid({ ...found, ...limits }, now)) return yield* PromoCodeNeverValid.of(found.code)
        if (!(yield* repo.limit(id, limits, now))) return yield* new PromoCodeEnded({ details: {} })
        return yield* get(id)
      })

      const end = Effect.fn("PromoCodeRegistry.end")(function* (id: PromoCodeId) {
        yield* repo.disable(id, yield* DateTime.now)
        return yield* get(id)
      })

      return PromoCodeRegistry.of({ add, list: repo.list, get, named, uses: repo.uses, limit, end })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(PromoCodesRepo.layer))
}
