import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { PromoCodeId } from "../../wallet/promo-codes/PromoCode.ts"
import {
  PromoCodeEnded,
  PromoCodeExists,
  PromoCodeNeverValid,
  PromoCodeUnknown
} from "../../wallet/promo-codes/PromoCodeErrors.ts"
import * as Keyset from "../Keyset.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { ActionKeyReused } from "../StaffErrors.ts"
import { NewPromoCode, PromoCodeLimits } from "./NewPromoCode.ts"
import { PromoCodeUseView, PromoCodeView } from "./PromoCodeView.ts"

const about = (summary: string, description: string) => OpenApi.annotations({ summary, description })
const params = { promo_code_id: PromoCodeId }

const reads = HttpApiGroup.make("adminPromoCodes").add(
  HttpApiEndpoint.get("listPromoCodes", "/promo-codes", {
    query: Keyset.query,
    success: Keyset.view(PromoCodeView).annotate({ identifier: "PromoCodePage" })
  })
    .annotate(RequiredPermission, "promo_code.read")
    .annotateMerge(about("List promo codes", "The newest first, each with the number of its uses.")),
  HttpApiEndpoint.get("listPromoCodeUses", "/promo-codes/:promo_code_id/uses", {
    params,
    query: Keyset.query,
    success: Keyset.view(PromoCodeUseView).annotate({ identifier: "PromoCodeUsePage" }),
    error: PromoCodeUnknown
  })
    .annotate(RequiredPermission, "promo_code.read")
    .annotateMerge(about("List the uses of a promo code", "The orders that used it, the newest first."))
)

/** The promo codes of the operator. */
export class PromoCodesApi extends reads
  .add(
    HttpApiEndpoint.post("createPromoCode", "/promo-codes", {
      headers: StaffActionApi.headers,
      payload: NewPromoCode,
      success: StaffActionApi.replayable(PromoCodeView.pipe(HttpApiSchema.status(201))),
      error: [PromoCodeExists, PromoCodeNeverValid, RequestInvalid, ActionKeyReused]
    })
      .annotate(RequiredPermission, "promo_code.change")
      .annotateMerge(about("Add a promo code", "Valid at once, or from `valid_from`.")),
    HttpApiEndpoint.post("limitPromoCode", "/promo-codes/:promo_code_id/limits", {
      params,
      headers: StaffActionApi.headers,
      payload: PromoCodeLimits,
      success: StaffActionApi.replayable(PromoCodeView),
      error: [PromoCodeUnknown, PromoCodeEnded, PromoCodeNeverValid, ActionKeyReused]
    })
      .annotate(RequiredPermission, "promo_code.change")
      .annotateMerge(
        about("Change the limits of a promo code", "From the answer on. Orders that used the code keep their price.")
      ),
    HttpApiEndpoint.post("endPromoCode", "/promo-codes/:promo_code_id/end", {
      params,
      headers: StaffActionApi.headers,
      payload: Schema.Struct({ reason: PromoCodeLimits.fields.reason }).annotate({ identifier: "EndPromoCode" }),
      success: StaffActionApi.replayable(PromoCodeView),
      error: [PromoCodeUnknown, ActionKeyReused]
    })
      .annotate(RequiredPermission, "promo_code.change")
      .annotateMerge(about("End a promo code", "For good. Orders that used the code keep their price."))
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Promo codes")
  .annotate(OpenApi.Description, "Discounts that customers get with a code.") {}
