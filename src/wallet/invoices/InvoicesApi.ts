import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../../accounts/Authentication.ts"
import * as Page from "../../platform/fields/Page.ts"
import * as Money from "../../platform/Money.ts"
import { PaymentMethod } from "../PaymentMethod.ts"
import { WalletTransactionId } from "../WalletTransaction.ts"
import { type Invoice, InvoiceNumber } from "./Invoice.ts"
import { InvoiceNotFound } from "./InvoiceErrors.ts"

const timestamp = Schema.DateTimeUtcFromString

const maybe = (...examples: ReadonlyArray<string>) => Schema.NullOr(Schema.String).annotate({ examples })

const number = InvoiceNumber.annotate({
  description: "The year and a number without gaps in it. Invoices of sandbox payments begin with `TEST-`",
  examples: [InvoiceNumber.make("2026-000042")]
})

const amount = Schema.Finite.annotate({ description: "Dollars or whole stars", examples: [25] })

const InvoiceView = Schema.Struct({
  number,
  transaction_id: WalletTransactionId.annotate({ description: "The deposit that the payment credited to the wallet" }),
  issued_at: timestamp.annotate({
    description: "The time when the invoice was made: within minutes of the payment, at the latest by the first read"
  }),
  paid_at: timestamp,
  seller: Schema.Struct({
    name: Schema.String.annotate({ examples: ["Acme Proxies"] }),
    company: maybe("Acme Networks GmbH"),
    address: maybe("Hauptstraße 1, 10115 Berlin, Germany"),
    email: maybe("help@acme.example"),
    url: maybe("https://acme.example/help")
  }).annotate({ description: "The seller at the time of the invoice" }),
  buyer: Schema.Struct({
    email: maybe("ada@example.com"),
    name: maybe("Ada Lovelace Ltd"),
    address: maybe("1 St James's Square\nLondon")
  }).annotate({ description: "The account's email and billing details at the time of the invoice" }),
  lines: Schema.Array(
    Schema.Struct({
      type: Schema.Literals(["order", "deposit"]).annotate({
        description: "`order`: the price of proxies; `deposit`: money that stayed in the wallet"
      }),
      description: Schema.String.annotate({ examples: ["Wallet top-up"] }),
      quantity: Schema.Int.annotate({ examples: [1] }),
      unit_price: amount,
      amount
    })
  ),
  currency: Money.Currency,
  total: amount,
  reversed: Schema.Finite.annotate({
    description: "The part of `total` that the gateway took back by a refund or a dispute",
    examples: [0]
  }),
  payment_method: PaymentMethod,
  is_sandbox: Schema.Boolean.annotate({ description: "True: the payment was simulated, and no money was paid" })
}).annotate({ identifier: "Invoice" })

/** Writes an invoice. Its view is that of the contract, and shows no tax. */
export const invoiceView = (invoice: Invoice): typeof InvoiceView.Type => {
  const { buyer, currency, issued_at, is_sandbox, number, paid_at, payment_method, seller, transaction_id } = invoice
  const inUnits = (of: bigint) => Money.toNumber(currency, of)
  return {
    number,
    transaction_id,
    issued_at,
    paid_at,
    seller: {
      name: seller.name,
      company: seller.company,
      address: seller.address,
      email: seller.email,
      url: seller.url
    },
    buyer: { email: buyer.email, name: buyer.name, address: buyer.address },
    lines: invoice.lines.map(({ amount, description, quantity, type, unit_price }) => ({
      type: type === "order" ? "order" : "deposit",
      description,
      quantity,
      unit_price: inUnits(unit_price),
      amount: inUnits(amount)
    })),
    currency,
    total: inUnits(invoice.total),
    reversed: inUnits(invoice.reversed),
    payment_method,
    is_sandbox
  }
}

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

export class InvoicesApi extends HttpApiGroup.make("invoices")
  .add(
    HttpApiEndpoint.get("listInvoices", "/wallet/invoices", {
      query: Page.query(100, 50),
      success: Schema.Struct({
        invoices: Schema.Array(InvoiceView),
        total: Schema.Int.annotate({ examples: [1] }),
        limit: Schema.Int.annotate({ examples: [50] }),
        offset: Schema.Int.annotate({ examples: [0] })
      })
    })
      .annotate(RequiredScope, "wallet:read")
      .annotateMerge(
        described(
          "List invoices",
          "Lists the invoices of your payments from outside, newest first: one for each payment by card, with crypto or in " +
            "stars. `total` counts all of them. An invoice is made within minutes of the payment, at the latest by the first " +
            "read, and then keeps its number and its texts."
        )
      ),

    HttpApiEndpoint.get("getInvoice", "/wallet/invoices/:number", {
      params: { number },
      success: InvoiceView,
      error: [InvoiceNotFound]
    })
      .annotate(RequiredScope, "wallet:read")
      .annotateMerge(
        described(
          "Get an invoice",
          "Returns one of your invoices. `404` means that no invoice of your account has this number."
        )
      )
  )
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Invoices")
  .annotate(OpenApi.Description, "Invoices of payments from outside. A restricted API key needs `wallet:read`.") {}
