import { type Phrase, text } from "../../pages/Html.ts"
import type { ListName, RecordsOfLists } from "../../staff/customers/CustomerRecord.ts"
import { mailTable, noteTable } from "./CareTables.ts"
import {
  appTable,
  entryTable,
  keyTable,
  noticeTable,
  orderTable,
  paymentTable,
  type RecordTable,
  sessionTable
} from "./RecordTables.ts"

/** A list of a customer: its title, the words for an empty one, and its table. */
interface RecordList<A> {
  readonly title: Phrase
  readonly none: Phrase
  readonly show: RecordTable<A>
}

/** The lists of a customer on pages, by the name in their path. */
export const recordLists: { readonly [L in ListName]: RecordList<RecordsOfLists[L]> } = {
  orders: { title: text("customer.orders"), none: text("customer.orders_none"), show: orderTable },
  entries: { title: text("customer.ledger"), none: text("customer.ledger_none"), show: entryTable },
  payments: { title: text("customer.payments"), none: text("customer.payments_none"), show: paymentTable },
  keys: { title: text("customer.keys"), none: text("customer.keys_none"), show: keyTable },
  sessions: { title: text("customer.sessions"), none: text("customer.sessions_none"), show: sessionTable },
  apps: { title: text("customer.apps"), none: text("customer.apps_none"), show: appTable },
  notices: { title: text("customer.notices"), none: text("customer.notices_none"), show: noticeTable },
  notes: { title: text("care.notes"), none: text("care.notes_none"), show: noteTable },
  mails: { title: text("care.mails"), none: text("care.mails_none"), show: mailTable }
}
