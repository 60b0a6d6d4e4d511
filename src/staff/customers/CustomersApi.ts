import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { UserNotFound } from "../../accounts/AccountErrors.ts"
import { Preset, ReasonCode, RestrictionId } from "../../accounts/restrictions/Restriction.ts"
import {
  AlreadyLifted,
  RestrictionIdReused,
  RestrictionNotFound
} from "../../accounts/restrictions/RestrictionErrors.ts"
import { UserId } from "../../accounts/User.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { optional } from "../../platform/fields/Optional.ts"
import { Text } from "../../platform/fields/Text.ts"
import * as Keyset from "../Keyset.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { ActionKeyReused, StepUpNeeded } from "../StaffErrors.ts"
import { CustomerNotFound } from "./CustomerErrors.ts"
import { CustomerView, FoundCustomerView, RestrictionView } from "./CustomerView.ts"

const params = { customer_id: UserId }

const Reason = Text(3, 500).annotate({ description: "For staff and the audit log", examples: ["Card testing"] })

const NewRestriction = Schema.Struct({
  preset: Preset.annotate({
    description:
      "`hold` stops purchases, `suspend` the proxies too, `ban` the sign-in too; `lock` is for an account that a stranger has taken over"
  }),
  reason_code: ReasonCode,
  internal_reason: Reason,
  public_reason: Text(3, 300).annotate({
    description: "The customer reads it",
    examples: ["Your last payment is disputed."]
  }),
  until_at: optional(Schema.DateTimeUtcFromString, { description: "The time of its end, in ISO 8601; absent: no end" })
})

const lookUps = HttpApiGroup.make("adminCustomers").add(
  HttpApiEndpoint.get("findCustomers", "/customers", {
    query: {
      q: Text(1, 255).annotate({
        description:
          "Id of an account, an order, a ledger entry, a payment or a restriction; mail address; `ip:port` of a proxy; id of a payment at its gateway",
        examples: ["ada@example.com"]
      })
    },
    success: Schema.Struct({ items: Schema.Array(FoundCustomerView) }).annotate({ identifier: "FoundCustomers" })
  })
    .annotate(RequiredPermission, "customer.read")
    .annotate(OpenApi.Summary, "Find customers")
    .annotate(OpenApi.Description, "Finds at most 20 customers by an exact value, the newest first."),
  HttpApiEndpoint.get("getCustomer", "/customers/:customer_id", {
    params,
    success: CustomerView,
    error: CustomerNotFound
  })
    .annotate(RequiredPermission, "customer.read")
    .annotate(OpenApi.Summary, "Show a customer")
    .annotate(
      OpenApi.Description,
      "Shows who the customer is, the wallets, the newest restrictions, and how much of everything there is."
    ),
  HttpApiEndpoint.get("listRestrictions", "/customers/:customer_id/restrictions", {
    params,
    query: Keyset.query,
    success: Keyset.view(RestrictionView).annotate({ identifier: "RestrictionPage" }),
    error: CustomerNotFound
  })
    .annotate(RequiredPermission, "restriction.read")
    .annotate(OpenApi.Summary, "List the restrictions of a customer")
    .annotate(OpenApi.Description, "Open and lifted ones, the newest first.")
)

/** Customers and their restrictions. */
export class CustomersApi extends lookUps
  .add(
    HttpApiEndpoint.post("createRestriction", "/customers/:customer_id/restrictions", {
      params,
      headers: StaffActionApi.headers,
      payload: NewRestriction,
      success: StaffActionApi.replayable(RestrictionView),
      error: [UserNotFound, RestrictionIdReused, ActionKeyReused, StepUpNeeded, RequestInvalid]
    })
      .annotate(RequiredPermission, "restriction.hold")
      .annotate(OpenApi.Summary, "Restrict a customer")
      .annotate(
        OpenApi.Description,
        "In force when it answers: nothing is bought from then on, and the connections through the proxies close within a second. A suspension needs `restriction.suspend`, without `restriction.ban` for at most 7 days. A ban and a lock need `restriction.ban` and a confirmation within the last 5 minutes."
      ),
    HttpApiEndpoint.post("liftRestriction", "/restrictions/:restriction_id/lift", {
      params: { restriction_id: RestrictionId },
      headers: StaffActionApi.headers,
      payload: Schema.Struct({ reason: Reason }),
      success: StaffActionApi.replayable(RestrictionView),
      error: [RestrictionNotFound, AlreadyLifted, ActionKeyReused, StepUpNeeded]
    })
      .annotate(RequiredPermission, "restriction.lift")
      .annotate(OpenApi.Summary, "Lift a restriction")
      .annotate(
        OpenApi.Description,
        "Returns what no other open restriction of the customer blocks. Needs the right to place such a restriction as well, and for a ban or a lock a confirmation within the last 5 minutes."
      )
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Customers")
  .annotate(OpenApi.Description, "Find customers, see everything about one, and restrict them.") {}
