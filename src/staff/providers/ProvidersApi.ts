import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { SalesPauseId } from "../../catalog/SalesPause.ts"
import {
  PauseSubjectNotFound,
  SalesAlreadyPaused,
  SalesPauseLifted,
  SalesPauseNotFound,
  SalesPauseTooLong
} from "../../catalog/SalesPauseErrors.ts"
import { Line } from "../../platform/fields/Line.ts"
import { wholeNumber } from "../../platform/fields/WholeNumber.ts"
import * as Keyset from "../Keyset.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { ActionKeyReused } from "../StaffErrors.ts"
import { NewSalesPause } from "./NewSalesPause.ts"
import { ProviderNotFound } from "./ProviderErrors.ts"
import { ProviderState } from "./ProviderState.ts"
import { SalesPauseView } from "./SalesPauseView.ts"
import { StockedOffer } from "./StockedOffer.ts"

const about = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const reads = HttpApiGroup.make("adminProviders").add(
  HttpApiEndpoint.get("listProviders", "/providers", {
    success: Schema.Struct({
      items: Schema.Array(ProviderState),
      pauses: Schema.Array(SalesPauseView).annotate({ description: "The pauses that stand, at most 1,000" })
    }).annotate({ identifier: "Providers" })
  })
    .annotate(RequiredPermission, "provider.read")
    .annotateMerge(
      about(
        "Show how the providers do",
        "The calls of the last hour by operation, your balance at each vendor, the number of offers, and the pauses that stand."
      )
    ),
  HttpApiEndpoint.get("listProviderOffers", "/providers/:provider/offers", {
    params: { provider: Line(1, 200) },
    query: {
      limit: Keyset.query.limit,
      after: Schema.optionalKey(wholeNumber(1, 2_147_483_647, { description: "`next` of the page before" }))
    },
    success: Schema.Struct({
      items: Schema.Array(StockedOffer),
      next: Schema.NullOr(Schema.Int).annotate({
        description: "Send it as `after` for the next page; null on the last page"
      })
    }).annotate({ identifier: "StockedOfferPage" }),
    error: ProviderNotFound
  })
    .annotate(RequiredPermission, "provider.read")
    .annotateMerge(about("List the offers of a provider", "Each with its stock, by id.")),
  HttpApiEndpoint.get("listSalesPauses", "/sales-pauses", {
    query: Keyset.query,
    success: Keyset.view(SalesPauseView).annotate({ identifier: "SalesPausePage" })
  })
    .annotate(RequiredPermission, "provider.read")
    .annotateMerge(about("List pauses of sales", "Standing and ended ones, the newest first."))
)

/** The providers, and the switch that stops sales. */
export class ProvidersApi extends reads
  .add(
    HttpApiEndpoint.post("pauseSales", "/sales-pauses", {
      headers: StaffActionApi.headers,
      payload: NewSalesPause,
      success: StaffActionApi.replayable(SalesPauseView.pipe(HttpApiSchema.status(201))),
      error: [PauseSubjectNotFound, SalesAlreadyPaused, ActionKeyReused]
    })
      .annotate(RequiredPermission, "provider.pause")
      .annotateMerge(
        about(
          "Stop sales",
          "In force when it answers, in every process: the catalog shows the offers as not available, and their orders get `409 out_of_stock`. A payment method gets `503`. Running proxies, extensions, renewals and orders that were placed before go on."
        )
      ),
    HttpApiEndpoint.post("resumeSales", "/sales-pauses/:pause_id/lift", {
      params: { pause_id: SalesPauseId },
      headers: StaffActionApi.headers,
      payload: Schema.Struct({ reason: NewSalesPause.fields.reason }).annotate({ identifier: "ResumeSales" }),
      success: StaffActionApi.replayable(SalesPauseView),
      error: [SalesPauseNotFound, SalesPauseLifted, ActionKeyReused]
    })
      .annotate(RequiredPermission, "provider.pause")
      .annotateMerge(
        about("Resume sales", "Ends a pause before its time. Offers that another pause covers stay paused.")
      ),
    HttpApiEndpoint.post("extendPause", "/sales-pauses/:pause_id/extend", {
      params: { pause_id: SalesPauseId },
      headers: StaffActionApi.headers,
      payload: NewSalesPause.mapFields(Struct.pick(["hours", "reason"])).annotate({ identifier: "ExtendPause" }),
      success: StaffActionApi.replayable(SalesPauseView),
      error: [SalesPauseNotFound, SalesPauseLifted, SalesPauseTooLong, ActionKeyReused]
    })
      .annotate(RequiredPermission, "provider.pause")
      .annotateMerge(
        about("Extend a pause", "Moves the end of a pause that stands by `hours`. A pause lasts at most 366 days.")
      )
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Providers")
  .annotate(OpenApi.Description, "How the providers do, their stock, and the switch that stops sales at once.") {}
