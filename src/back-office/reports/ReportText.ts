import { localized, type Phrase, text } from "../../pages/Html.ts"
import type { Group, Period, ReportName } from "../../staff/reports/Report.ts"

const names: Readonly<Record<ReportName, readonly [title: Phrase, about: Phrase]>> = {
  revenue: [text("report.revenue"), text("report.revenue_about")],
  sales: [text("report.sales"), text("report.sales_about")],
  margin: [text("report.margin"), text("report.margin_about")],
  refunds: [text("report.refunds"), text("report.refunds_about")],
  payments: [text("report.payments"), text("report.payments_about")],
  liabilities: [text("report.liabilities"), text("report.liabilities_about")],
  unearned: [text("report.unearned"), text("report.unearned_about")],
  recognised: [text("report.recognised"), text("report.recognised_about")],
  renewals: [text("report.renewals"), text("report.renewals_about")],
  churn: [text("report.churn"), text("report.churn_about")]
}

const periods: Readonly<Record<Period, Phrase>> = {
  day: text("report.by_day"),
  week: text("report.by_week"),
  month: text("report.by_month"),
  total: text("report.by_total")
}

const groups: Readonly<Record<Group, Phrase>> = {
  provider: text("report.by_provider"),
  kind: text("report.by_kind"),
  country: text("report.by_country"),
  offer: text("report.by_offer"),
  channel: text("report.by_channel"),
  flow: text("report.by_flow"),
  currency: text("report.by_currency"),
  method: text("report.by_method")
}

/** The values of groups that are codes, in words. */
const values: Readonly<Record<string, Phrase>> = {
  pages: text("report.channel_pages"),
  api: text("report.channel_api"),
  agents: text("report.channel_agents"),
  auto_renew: text("report.channel_auto_renew"),
  card_gateway: text("payment.card_gateway"),
  crypto_gateway: text("payment.crypto_gateway"),
  messenger_stars: text("payment.messenger_stars")
}

const columns: Readonly<Record<string, Phrase>> = {
  period: text("report.period"),
  ...groups,
  sold: text("report.sold"),
  gross_usd: text("report.gross_usd"),
  reversed_usd: text("report.reversed_usd"),
  returned_usd: text("report.returned_usd"),
  net_usd: text("report.net_usd"),
  refund_rate: text("report.refund_rate"),
  refunds: text("report.refund_count"),
  goodwill_usd: text("report.goodwill_usd"),
  deliveries: text("report.deliveries"),
  costed: text("report.costed"),
  coverage: text("report.coverage"),
  costed_sales_usd: text("report.costed_sales_usd"),
  cost_usd: text("report.cost_usd"),
  margin_usd: text("report.margin_usd"),
  margin_rate: text("report.margin_rate"),
  unearned_before_usd: text("report.unearned_before_usd"),
  net_sales_usd: text("report.net_usd"),
  unearned_after_usd: text("report.unearned_after_usd"),
  recognised_usd: text("report.recognised_usd"),
  unearned_usd: text("report.unearned_usd"),
  balance: text("report.balance"),
  paid_balance: text("report.paid_balance"),
  granted: text("report.granted"),
  due: text("report.due"),
  renewed: text("report.renewed"),
  auto_renewed: text("report.auto_renewed"),
  ended_early: text("report.ended_early"),
  renewal_rate: text("report.renewal_rate"),
  live: text("report.live"),
  live_before: text("report.live_before"),
  stayed: text("report.stayed"),
  churn_rate: text("report.churn_rate"),
  paid: text("report.paid"),
  paid_amount: text("report.paid_amount"),
  failed: text("report.failed"),
  expired: text("report.expired"),
  failure_rate: text("report.failure_rate"),
  left_amount: text("report.left_amount")
}

/** The head of a column of a report. */
const column = (report: ReportName, name: string): Phrase =>
  columns[report === "liabilities" && name === "paid" ? "paid_balance" : name] ?? localized(() => name)

/** The words of reports. */
export const reportText = { names, periods, groups, values, column }
