import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { UserId } from "../../accounts/User.ts"
import { Line } from "../../platform/fields/Line.ts"
import { Text } from "../../platform/fields/Text.ts"
import { TaxNumberChanged } from "../../wallet/invoices/InvoiceErrors.ts"
import { CountryCode } from "../../wallet/invoices/BillingDetails.ts"
import { NewTaxRate } from "../../wallet/invoices/TaxRate.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { ActionKeyReused } from "../StaffErrors.ts"
import { TaxNumberView, TaxRateView } from "./TaxView.ts"

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const reason = Text(3, 500).annotate({ description: "For staff and the audit log", examples: ["New law"] })

export class TaxApi extends HttpApiGroup.make("adminTaxes")
  .add(
    HttpApiEndpoint.get("listTaxRates", "/tax-rates", {
      success: Schema.Struct({ items: Schema.Array(TaxRateView) }).annotate({ identifier: "TaxRates" })
    })
      .annotate(RequiredPermission, "document.read")
      .annotateMerge(
        described("List tax rates", "Every rate that was recorded, by country, the newest first; at most 1,000.")
      ),

    HttpApiEndpoint.post("recordTaxRate", "/tax-rates", {
      headers: StaffActionApi.headers,
      payload: Schema.Struct({ ...NewTaxRate.fields, reason }).annotate({ identifier: "NewTaxRate" }),
      success: StaffActionApi.replayable(TaxRateView),
      error: [ActionKeyReused]
    })
      .annotate(RequiredPermission, "tax.change")
      .annotateMerge(
        described(
          "Record a tax rate",
          "A rate holds from its day until the day of the next one of its country. Of two for the same day, the later record counts. Documents that exist do not change."
        )
      ),

    HttpApiEndpoint.get("listTaxNumbers", "/tax-numbers", {
      success: Schema.Struct({ items: Schema.Array(TaxNumberView) }).annotate({ identifier: "TaxNumbers" })
    })
      .annotate(RequiredPermission, "document.read")
      .annotateMerge(
        described(
          "List tax numbers",
          "Tax numbers of businesses that gave name, address and country: those that wait for a check, then the right ones, then the wrong ones; at most 1,000."
        )
      ),

    HttpApiEndpoint.post("checkTaxNumber", "/customers/:customer_id/tax-number", {
      params: { customer_id: UserId },
      headers: StaffActionApi.headers,
      payload: Schema.Struct({
        name: Text(1, 200).annotate({ description: "The name that you checked", examples: ["Ada SARL"] }),
        country: CountryCode.annotate({ description: "The country that you checked", examples: ["FR"] }),
        tax_number: Line(1, 40).annotate({
          description: "The number that you checked",
          examples: ["FR40303265045"]
        }),
        is_right: Schema.Boolean.annotate({ description: "False also takes an earlier check back" }),
        reason
      }).annotate({ identifier: "CheckTaxNumber" }),
      success: StaffActionApi.replayable(TaxNumberView),
      error: [ActionKeyReused, TaxNumberChanged]
    })
      .annotate(RequiredPermission, "tax.change")
      .annotateMerge(
        described(
          "Check a tax number",
          "With a checked number of another country than `TAX_COUNTRY` the customer owes the tax (reverse charge). A change of the customer's name, country or number ends the check, and so does an address that is taken away. Refused when name, country or number are other ones."
        )
      )
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Taxes")
  .annotate(OpenApi.Description, "Tax rates of countries, and tax numbers of businesses.") {}
