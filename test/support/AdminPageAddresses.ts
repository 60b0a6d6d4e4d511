import { ReportName } from "../../src/staff/reports/Report.ts"

/** Every report, and other choices of some. */
const reports = ReportName.literals.map((name) => `/admin/reports/${name}`)
const moreReports = [
  "/admin/reports/revenue?period=day",
  "/admin/reports/revenue?from=never",
  "/admin/reports/sales?by=country",
  "/admin/reports/margin?by=channel&period=total"
]

/**
 * The addresses at which each page of the back office shows all that it can, by the path of its route; `:name` stands for an
 * id. A test compares the paths with those of the router. A route without an address answers with a file, leads elsewhere, needs
 * a form before it, or has a test of its own.
 */
export const adminPageAddresses: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/admin": ["/admin"],
  "/admin/abuse": ["/admin/abuse"],
  "/admin/audit": ["/admin/audit", "/admin/audit?action=nothing"],
  "/admin/customers": ["/admin/customers", "/admin/customers?q=:order_id", "/admin/customers?q=nothing"],
  "/admin/customers/:id": ["/admin/customers/:user_id", "/admin/customers/:other_id"],
  "/admin/customers/:id/apps": ["/admin/customers/:user_id/apps"],
  "/admin/customers/:id/credit": ["/admin/customers/:user_id/credit"],
  "/admin/customers/:id/entries": ["/admin/customers/:user_id/entries"],
  "/admin/customers/:id/keys": ["/admin/customers/:user_id/keys"],
  "/admin/customers/:id/lift/:restriction_id": ["/admin/customers/:user_id/lift/:restriction_id"],
  "/admin/customers/:id/notices": ["/admin/customers/:user_id/notices"],
  "/admin/customers/:id/orders": ["/admin/customers/:user_id/orders"],
  "/admin/customers/:id/payments": ["/admin/customers/:user_id/payments"],
  "/admin/customers/:id/restrict": ["/admin/customers/:user_id/restrict"],
  "/admin/customers/:id/sessions": ["/admin/customers/:user_id/sessions"],
  "/admin/destinations": ["/admin/destinations"],
  "/admin/destinations/:rule_id": ["/admin/destinations/:rule_id"],
  "/admin/destinations/new": ["/admin/destinations/new?scope=proxy&scope_id=:order_id"],
  "/admin/disputes": ["/admin/disputes"],
  "/admin/invite": [],
  "/admin/limits": ["/admin/limits"],
  "/admin/limits/:role/:action/:currency": ["/admin/limits/support/goodwill/USD"],
  "/admin/orders/:id": ["/admin/orders/:order_id", "/admin/orders/:failed_id"],
  "/admin/orders/:id/refund": ["/admin/orders/:order_id/refund"],
  "/admin/payouts": ["/admin/payouts"],
  "/admin/payouts/:id": ["/admin/payouts/:payout_id"],
  "/admin/payouts/:id/approve": ["/admin/payouts/:payout_id/approve"],
  "/admin/payouts/:id/decline": ["/admin/payouts/:payout_id/decline"],
  "/admin/payouts/:id/sent": ["/admin/payouts/:payout_id/sent"],
  "/admin/pause": ["/admin/pause", "/admin/pause?what=offer%3A1"],
  "/admin/pauses/:pause_id": ["/admin/pauses/:pause_id"],
  "/admin/providers": ["/admin/providers"],
  "/admin/providers/:provider": ["/admin/providers/:provider"],
  "/admin/reports": ["/admin/reports"],
  "/admin/reports/:name": [...reports, ...moreReports],
  "/admin/reports/:name/file.csv": [],
  "/admin/requests": ["/admin/requests"],
  "/admin/shop": ["/admin/shop", "/admin/shop?kind=mobile&country=AQ"],
  "/admin/shop/articles/:article": ["/admin/shop/articles/dc-de"],
  "/admin/shop/file": ["/admin/shop/file"],
  "/admin/shop/offers/:offer_id": ["/admin/shop/offers/:offer_id"],
  "/admin/shop/rule": ["/admin/shop/rule?vendor=gateway"],
  "/admin/shop/rules": ["/admin/shop/rules"],
  "/admin/sign-in": ["/admin/sign-in"],
  "/admin/sign-in/code": [],
  "/admin/staff": ["/admin/staff"],
  "/admin/staff/:id": ["/admin/staff/:staff_id"],
  "/admin/todo": ["/admin/todo", "/admin/todo?kind=mail"],
  "/admin/todo/:kind/:id": ["/admin/todo/orphan/:orphan_id"],
  "/admin/tokens": ["/admin/tokens"]
}
