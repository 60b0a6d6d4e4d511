import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccountHasPayout, EmailVerified } from "../../accounts/AccountErrors.ts"
import { AccountRestricted } from "../../accounts/restrictions/RestrictionErrors.ts"
import { UserId } from "../../accounts/User.ts"
import { Text } from "../../platform/fields/Text.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { ActionKeyReused, StepUpNeeded } from "../StaffErrors.ts"
import { CareDone } from "./CustomerCare.ts"
import { CustomerExportTooLarge, CustomerHasNoEmail, CustomerNotFound } from "./CustomerErrors.ts"
import { shown } from "./CustomerRecord.ts"

const about = (summary: string, description: string) => OpenApi.annotations({ summary, description })
const params = { customer_id: UserId }
const headers = StaffActionApi.headers

const WithReason = Schema.Struct({
  reason: Text(3, 500).annotate({ description: "For staff and the audit log", examples: ["Asked for by mail"] })
}).annotate({ identifier: "WithReason" })

const help = HttpApiGroup.make("adminCustomerCare").add(
  HttpApiEndpoint.post("createCustomerNote", "/customers/:customer_id/notes", {
    params,
    headers,
    payload: Schema.Struct({
      text: Text(1, 2_000).annotate({ examples: ["Called about a refund; is content"] })
    }).annotate({ identifier: "NewCustomerNote" }),
    success: StaffActionApi.replayable(
      shown.note.annotate({ identifier: "CustomerNote" }).pipe(HttpApiSchema.status(201))
    ),
    error: [CustomerNotFound, ActionKeyReused]
  })
    .annotate(RequiredPermission, "customer.note")
    .annotateMerge(
      about(
        "Write a note about a customer",
        "The note stays as it is until the account is erased. The customer does not see it."
      )
    ),
  HttpApiEndpoint.post("resendVerificationMail", "/customers/:customer_id/resend-verification", {
    params,
    headers,
    success: StaffActionApi.replayable(CareDone),
    error: [CustomerNotFound, CustomerHasNoEmail, EmailVerified, ActionKeyReused]
  })
    .annotate(RequiredPermission, "customer.help")
    .annotateMerge(
      about("Mail another verification link", "To the email of the account, which must not be verified yet.")
    ),
  HttpApiEndpoint.post("endCustomerSessions", "/customers/:customer_id/end-sessions", {
    params,
    headers,
    payload: WithReason,
    success: StaffActionApi.replayable(CareDone),
    error: [CustomerNotFound, ActionKeyReused]
  })
    .annotate(RequiredPermission, "customer.help")
    .annotateMerge(
      about("Sign a customer out everywhere", "Ends all sessions and the connections of apps. API keys go on working.")
    )
)

/** Help for one customer, and the customer's rights to the data. */
export class CustomerCareApi extends help
  .add(
    HttpApiEndpoint.post("exportCustomer", "/customers/:customer_id/export", {
      params,
      payload: WithReason,
      success: Schema.Record(Schema.String, Schema.Unknown).annotate({ identifier: "CustomerExport" }),
      error: [CustomerNotFound, CustomerExportTooLarge, StepUpNeeded]
    })
      .annotate(RequiredPermission, "customer.export")
      .annotateMerge(
        about(
          "Export everything about a customer",
          "The file that the customer can download too. It holds the logins of proxies, and has at most 32 MB here. Needs a confirmation within the last 5 minutes."
        )
      ),
    HttpApiEndpoint.post("eraseCustomer", "/customers/:customer_id/erase", {
      params,
      headers,
      payload: WithReason,
      success: StaffActionApi.replayable(CareDone),
      error: [CustomerNotFound, AccountRestricted, AccountHasPayout, StepUpNeeded, ActionKeyReused]
    })
      .annotate(RequiredPermission, "customer.erase")
      .annotateMerge(
        about(
          "Erase a customer",
          "Deletes the account as its owner would: proxies end without a refund, the money of the wallet is lost, and email, name, notes and mails are erased. Orders, ledger and invoices stay. Nobody can undo this. Lift restrictions and settle withdrawals first. Needs a confirmation within the last 5 minutes."
        )
      )
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Care")
  .annotate(OpenApi.Description, "Notes about a customer, help with the sign-in, and the rights to the data.") {}
