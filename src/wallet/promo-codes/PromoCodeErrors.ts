import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"

export class PromoCodeExists extends ApiError<PromoCodeExists>()(
  "PromoCodeExists",
  { status: 409, detail: "The promo code exists already", example: "The promo code SPRING-20 exists already" },
  { reason: Schema.tag("promo_code_exists") }
) {
  static of(code: string): PromoCodeExists {
    return new PromoCodeExists({ detail: `The promo code ${code} exists already`, details: {} })
  }
}

/** The code expires before its start, or has already expired. */
export class PromoCodeNeverValid extends ApiError<PromoCodeNeverValid>()("PromoCodeNeverValid", {
  status: 422,
  detail: "The promo code must expire in the future and after its start",
  example: "The promo code SPRING-20 must expire in the future and after its start"
}) {
  static of(code: string): PromoCodeNeverValid {
    return new PromoCodeNeverValid({ detail: `The promo code ${code} must expire in the future and after its start` })
  }
}

export class PromoCodeUnknown extends ApiError<PromoCodeUnknown>()("PromoCodeUnknown", {
  status: 404,
  detail: "There is no such promo code",
  example: "There is no promo code SPRING-20"
}) {
  static of(code: string): PromoCodeUnknown {
    return new PromoCodeUnknown({ detail: `There is no promo code ${code}` })
  }
}

export class PromoCodeEnded extends ApiError<PromoCodeEnded>()(
  "PromoCodeEnded",
  { status: 409, detail: "The promo code has ended; add another one" },
  { reason: Schema.tag("promo_code_ended") }
) {}
