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
  "/admin/customers/:id/tax-number": ["/admin/customers/:other_id/tax-number"],
  "/admin/disputes": ["/admin/disputes"],
  "/admin/disputes/:id": ["/admin/disputes/:dispute_id"],
  "/admin/documents": ["/admin/documents", "/admin/documents?q=nothing", "/admin/documents?kind=invoice"],
  "/admin/documents/:number": ["/admin/documents/:number"],
  "/admin/documents/:number/file.pdf": [],
  "/admin/documents/:number/reissue": ["/admin/documents/:number/reissue"],
  "/admin/invite": [],
  "/admin/orders": ["/admin/orders", "/admin/orders?q=:order_id", "/admin/orders?q=nothing"],
  "/admin/orders/:id": ["/admin/orders/:order_id", "/admin/orders/:failed_id"],
  "/admin/orders/:id/extend": ["/admin/orders/:order_id/extend"],
  "/admin/orders/:id/look-up": [],
  "/admin/orders/:id/refund": ["/admin/orders/:order_id/refund"],
  "/admin/orders/:id/release": ["/admin/orders/:order_id/release"],
  "/admin/orders/:id/replace": ["/admin/orders/:order_id/replace"],
  "/admin/orders/:id/retry": [],
  "/admin/payment-callbacks/:id": ["/admin/payment-callbacks/:callback_id"],
  "/admin/payments": ["/admin/payments", "/admin/payments?q=:user_id&status=pending", "/admin/payments?q=nothing"],
  "/admin/payments/:id": ["/admin/payments/:payment_id"],
  "/admin/payments/:id/look-up": ["/admin/payments/:payment_id/look-up"],
  "/admin/payouts": ["/admin/payouts"],
  "/admin/payouts/:id": ["/admin/payouts/:payout_id"],
  "/admin/payouts/:id/approve": ["/admin/payouts/:payout_id/approve"],
  "/admin/payouts/:id/decline": ["/admin/payouts/:payout_id/decline"],
  "/admin/payouts/:id/sent": ["/admin/payouts/:payout_id/sent"],
  "/admin/pause": ["/admin/pause", "/admin/pause?what=offer%3A1"],
  "/admin/pauses/:pause_id": ["/admin/pauses/:pause_id"],
  "/admin/pauses/:pause_id/extend": ["/admin/pauses/:pause_id/extend"],
  "/admin/providers": ["/admin/providers"],
  "/admin/providers/:provider": ["/admin/providers/:provider"],
  "/admin/reports": ["/admin/reports"],
  "/admin/reports/:name": [...reports, ...moreReports],
  "/admin/reports/:name/file.csv": [],
  "/admin/requests": ["/admin/requests"],
  "/admin/sign-in": ["/admin/sign-in"],
  "/admin/sign-in/code": [],
  "/admin/staff": ["/admin/staff"],
  "/admin/staff/:id": ["/admin/staff/:staff_id"],
  "/admin/taxes": ["/admin/taxes"],
  "/admin/todo": ["/admin/todo", "/admin/todo?kind=mail"],
  "/admin/todo/:kind/:id": ["/admin/todo/orphan/:orphan_id"],
  "/admin/tokens": ["/admin/tokens"]
}
