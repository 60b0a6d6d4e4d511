import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Text } from "../../platform/fields/Text.ts"
import { DocumentView } from "../../wallet/invoices/DocumentView.ts"
import { DocumentNumber, Invoice } from "../../wallet/invoices/Invoice.ts"
import { InvoiceNotFound, InvoiceReplaced, TaxRateMissing } from "../../wallet/invoices/InvoiceErrors.ts"
import * as Keyset from "../Keyset.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { ActionKeyReused } from "../StaffErrors.ts"

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const number = DocumentNumber.annotate({ examples: [DocumentNumber.make("2026-000042")] })
const params = { number }

export class StaffDocumentsApi extends HttpApiGroup.make("adminDocuments")
  .add(
    HttpApiEndpoint.get("listDocuments", "/documents", {
      query: {
        limit: Keyset.query.limit,
        after: Schema.optionalKey(number.annotate({ description: "`next` of the page before" })),
        q: Schema.optionalKey(
          Text(1, 255).annotate({
            description: "A number, the email of an account, or the id of an account or of a ledger entry",
            examples: ["ada@example.com"]
          })
        ),
        kind: Schema.optionalKey(Invoice.fields.kind)
      },
      success: Keyset.view(DocumentView).annotate({ identifier: "DocumentPage" })
    })
      .annotate(RequiredPermission, "document.read")
      .annotateMerge(described("List documents", "Invoices and credit notes of all customers, the newest first.")),

    HttpApiEndpoint.get("getIssuedDocument", "/documents/:number", {
      params,
      success: DocumentView,
      error: [InvoiceNotFound]
    })
      .annotate(RequiredPermission, "document.read")
      .annotateMerge(described("Get a document", "Returns an invoice or a credit note as it was issued.")),

    HttpApiEndpoint.post("reissueDocument", "/documents/:number/reissue", {
      params,
      headers: StaffActionApi.headers,
      payload: Schema.Struct({
        reason: Text(3, 500).annotate({ description: "For staff and the audit log", examples: ["Wrong address"] })
      }).annotate({ identifier: "ReissueDocument" }),
      success: StaffActionApi.replayable(DocumentView),
      error: [ActionKeyReused, InvoiceNotFound, InvoiceReplaced, TaxRateMissing]
    })
      .annotate(RequiredPermission, "document.issue")
      .annotateMerge(
        described(
          "Issue an invoice again",
          "Takes the invoice back with a credit note and returns a new one, with the present billing details of the customer and the recorded tax rates of the day of the payment."
        )
      )
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Documents")
  .annotate(
    OpenApi.Description,
    "Invoices and credit notes. They never change; a mistake is taken back and issued again."
  ) {}
