import * as LocalText from "../../brand/LocalText.ts"
import type { Invoice } from "./Invoice.ts"

/** The part of an invoice that refunds and disputes claim now. It is no part of the document, which never changes. */
export const reversedNote = ({ currency, reversed }: Pick<Invoice, "currency" | "reversed">) =>
  reversed > 0n ? LocalText.say("invoices.reversed_note", { amount: LocalText.money(currency, reversed) }) : null
