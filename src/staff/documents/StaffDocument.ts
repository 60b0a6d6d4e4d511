import type { LocalText } from "../../brand/LocalText.ts"
import type { Paper } from "../../brand/Paper.ts"
import { DocumentView } from "../../wallet/invoices/DocumentView.ts"

/** The number of an invoice or of a credit note. */
export const DocumentNumber = DocumentView.fields.number
export type DocumentNumber = typeof DocumentNumber.Type

/** An invoice or a credit note. */
export type StaffDocument = typeof DocumentView.Type

/** The same with its text, as its customer sees it. */
export interface ShownDocument extends StaffDocument {
  readonly paper: Paper
  /** A sentence about the part that refunds and disputes claim. */
  readonly reversed_note: LocalText | null
}
