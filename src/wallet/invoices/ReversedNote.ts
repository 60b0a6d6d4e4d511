import * as LocalText from "../../brand/LocalText.ts"
import type { Invoice } from "./Invoice.ts"

/** What refunds and disputes claim of an invoice at this time. It is no part of the document, which never changes. */
export const reversedNote = ({ currency, reversed }: Pick<Invoice, "currency" | "reversed">) =>
  reversed > 0n ? LocalText.say("invoices.reversed_note", { amount: LocalText.money(currency, reversed) }) : null
