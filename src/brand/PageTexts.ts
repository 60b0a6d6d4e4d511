import { account } from "./english/Account.ts"
import { announcements } from "./english/Announcements.ts"
import { customerCare } from "./english/CustomerCare.ts"
import { promoCodes } from "./english/PromoCodes.ts"
import { autoTopUp } from "./english/AutoTopUp.ts"
import { backOffice } from "./english/BackOffice.ts"
import { backOfficeAbuse } from "./english/BackOfficeAbuse.ts"
import { backOfficeCustomers } from "./english/BackOfficeCustomers.ts"
import { backOfficeMoney } from "./english/BackOfficeMoney.ts"
import { backOfficeOrders } from "./english/BackOfficeOrders.ts"
import { backOfficeShop } from "./english/BackOfficeShop.ts"
import { consent } from "./english/Consent.ts"
import { desk } from "./english/Desk.ts"
import { documents } from "./english/Documents.ts"
import { doors } from "./english/Doors.ts"
import { help } from "./english/Help.ts"
import { invoices } from "./english/Invoices.ts"
import { ipCheck } from "./english/IpCheck.ts"
import { keys } from "./english/Keys.ts"
import { messages } from "./english/Messages.ts"
import { notices } from "./english/Notices.ts"
import { notifications } from "./english/Notifications.ts"
import { overview } from "./english/Overview.ts"
import { payments } from "./english/Payments.ts"
import { providers } from "./english/Providers.ts"
import { proxies } from "./english/Proxies.ts"
import { proxyConnections } from "./english/ProxyConnections.ts"
import { proxyList } from "./english/ProxyList.ts"
import { reports } from "./english/Reports.ts"
import { security } from "./english/Security.ts"
import { todo } from "./english/Todo.ts"
import { webhooks } from "./english/Webhooks.ts"
import { wallet } from "./english/Wallet.ts"
import { shop } from "./english/Shop.ts"

/**
 * Every text of the pages and notifications for people, in English. A name is the page and the place. A placeholder such as `{{app}}` stands
 * for a value of the page, and `{{brand}}` for the name of the brand. A text that depends on a number has two names: one
 * that ends in `_one`, and one in `_other`.
 */
export const pageTexts = {
  ...account,
  ...announcements,
  ...customerCare,
  ...promoCodes,
  ...autoTopUp,
  ...backOffice,
  ...backOfficeAbuse,
  ...backOfficeCustomers,
  ...backOfficeMoney,
  ...backOfficeOrders,
  ...backOfficeShop,
  ...consent,
  ...desk,
  ...documents,
  ...doors,
  ...help,
  ...invoices,
  ...ipCheck,
  ...keys,
  ...messages,
  ...notices,
  ...notifications,
  ...overview,
  ...payments,
  ...providers,
  ...proxies,
  ...proxyConnections,
  ...proxyList,
  ...reports,
  ...security,
  ...todo,
  ...webhooks,
  ...wallet,
  ...shop
} as const satisfies Readonly<Record<string, string>>

export type TextName = keyof typeof pageTexts

/** The texts of one brand. */
export type PageTexts = Readonly<Record<TextName, string>>

/** The placeholders of a text, without `{{brand}}`. */
type PlaceholderIn<T extends string> = T extends `${string}{{${infer Name}}}${infer Rest}`
  ? Exclude<Name, "brand"> | PlaceholderIn<Rest>
  : never

/** The placeholders to which a page must give values. */
export type PlaceholderOf<N extends TextName> = PlaceholderIn<(typeof pageTexts)[N]>

/** A placeholder, also one that is misspelt or not closed. */
export const placeholder = /\{\{([^{}\n]*)(\}\})?/g
