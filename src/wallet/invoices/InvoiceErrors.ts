import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"

export class InvoiceNotFound extends ApiError<InvoiceNotFound>()("InvoiceNotFound", {
  status: 404,
  detail: "There is no such invoice"
}) {}

/** The font of the PDF files lacks letters of a document. */
export class PaperHasOtherLetters extends ApiError<PaperHasOtherLetters>()("PaperHasOtherLetters", {
  status: 409,
  detail: "A PDF file cannot show all letters of this document; print its page instead"
}) {}

/** Credit notes are not issued again, and an invoice only once. */
export class InvoiceReplaced extends ApiError<InvoiceReplaced>()("InvoiceReplaced", {
  status: 409,
  detail: "Only an invoice that no other one replaces can be issued again"
}) {}

export class TaxRateMissing extends ApiError<TaxRateMissing>()(
  "TaxRateMissing",
  { status: 409, detail: "The country of the seller has no tax rate for the day of the payment; record it first" },
  { reason: Schema.tag("tax_rate_missing"), country: Schema.String }
) {}

export class TaxNumberChanged extends ApiError<TaxNumberChanged>()("TaxNumberChanged", {
  status: 409,
  detail: "The customer has changed name, country or tax number, or gave no address; look again"
}) {}
