import { account } from "./german/Account.ts"
import { announcements } from "./german/Announcements.ts"
import { customerCare } from "./german/CustomerCare.ts"
import { promoCodes } from "./german/PromoCodes.ts"
import { autoTopUp } from "./german/AutoTopUp.ts"
import { backOffice } from "./german/BackOffice.ts"
import { backOfficeAbuse } from "./german/BackOfficeAbuse.ts"
import { backOfficeCustomers } from "./german/BackOfficeCustomers.ts"
import { backOfficeMoney } from "./german/BackOfficeMoney.ts"
import { backOfficeOrders } from "./german/BackOfficeOrders.ts"
import { backOfficeShop } from "./german/BackOfficeShop.ts"
import { consent } from "./german/Consent.ts"
import { desk } from "./german/Desk.ts"
import { documents } from "./german/Documents.ts"
import { doors } from "./german/Doors.ts"
import { help } from "./german/Help.ts"
import { invoices } from "./german/Invoices.ts"
import { ipCheck } from "./german/IpCheck.ts"
import { keys } from "./german/Keys.ts"
import { messages } from "./german/Messages.ts"
import { notices } from "./german/Notices.ts"
import { notifications } from "./german/Notifications.ts"
import { overview } from "./german/Overview.ts"
import { payments } from "./german/Payments.ts"
import { providers } from "./german/Providers.ts"
import { proxies } from "./german/Proxies.ts"
import { proxyConnections } from "./german/ProxyConnections.ts"
import { proxyList } from "./german/ProxyList.ts"
import { reports } from "./german/Reports.ts"
import { security } from "./german/Security.ts"
import { todo } from "./german/Todo.ts"
import { webhooks } from "./german/Webhooks.ts"
import { wallet } from "./german/Wallet.ts"
import { shop } from "./german/Shop.ts"
import type { PageTexts } from "./PageTexts.ts"

/** Every text of the pages and notifications for people, in German. */
export const german: PageTexts = {
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
}
