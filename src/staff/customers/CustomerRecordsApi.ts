import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import type { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import * as Keyset from "../Keyset.ts"
import type { Permission } from "../Permissions.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { CustomerNotFound } from "./CustomerErrors.ts"
import { shown } from "./CustomerRecord.ts"

interface Described<S> {
  /** The name of a record in the document. */
  readonly identifier: string
  readonly item: S
  readonly permission: Permission
  readonly summary: string
  readonly description: string
}

const list = <const Name extends string, const Path extends `/${string}`, S extends Schema.Top>(
  name: Name,
  path: Path,
  { description, identifier, item, permission, summary }: Described<S>
) =>
  HttpApiEndpoint.get(name, `/customers/:customer_id${path}`, {
    params: { customer_id: UserId },
    query: Keyset.query,
    success: Keyset.view(item.annotate({ identifier })).annotate({ identifier: `${identifier}Page` }),
    error: CustomerNotFound
  })
    .annotate(RequiredPermission, permission)
    .annotateMerge(OpenApi.annotations({ summary, description }))

/** Everything that one customer has, in lists. */
export class CustomerRecordsApi extends HttpApiGroup.make("adminCustomerRecords")
  .add(
    list("listCustomerOrders", "/orders", {
      identifier: "CustomerOrder",
      item: shown.order,
      permission: "order.read",
      summary: "List the orders of a customer",
      description: "All orders, also those that were never paid, the newest first."
    }),
    list("listCustomerTransactions", "/transactions", {
      identifier: "CustomerTransaction",
      item: shown.entry,
      permission: "customer.read",
      summary: "List the ledger of a customer",
      description: "The entries of all wallets, the newest first. Only completed entries count in a balance."
    }),
    list("listCustomerPayments", "/payments", {
      identifier: "CustomerPayment",
      item: shown.payment,
      permission: "payment.read",
      summary: "List the payments of a customer",
      description: "Payments from outside: deposits, and payments for orders, the newest first."
    }),
    list("listCustomerKeys", "/api-keys", {
      identifier: "CustomerApiKey",
      item: shown.key,
      permission: "customer.read",
      summary: "List the API keys of a customer",
      description: "The keys without their secrets, the newest first."
    }),
    list("listCustomerSessions", "/sessions", {
      identifier: "CustomerSession",
      item: shown.session,
      permission: "customer.read",
      summary: "List the sessions of a customer",
      description: "The devices that are signed in, the newest first."
    }),
    list("listCustomerConnections", "/connections", {
      identifier: "CustomerConnection",
      item: shown.app,
      permission: "customer.read",
      summary: "List the connected apps of a customer",
      description: "The connections of apps, ended ones too, the newest first."
    }),
    list("listCustomerNotices", "/notices", {
      identifier: "CustomerNotice",
      item: shown.notice,
      permission: "customer.read",
      summary: "List the notices of a customer",
      description: "The notices of the dashboard, the newest first. Most of them were also mailed."
    }),
    list("listCustomerNotes", "/notes", {
      identifier: "CustomerNote",
      item: shown.note,
      permission: "customer.read",
      summary: "List the notes about a customer",
      description: "The notes of staff, the newest first. The customer does not see them."
    }),
    list("listCustomerMails", "/mails", {
      identifier: "CustomerMail",
      item: shown.mail,
      permission: "customer.read",
      summary: "List the mails to a customer",
      description: "The mails of the last 180 days without their texts, the newest first."
    })
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Records of customers")
  .annotate(
    OpenApi.Description,
    "The orders, the ledger, payments, credentials, notices, notes and mails of a customer."
  ) {}
