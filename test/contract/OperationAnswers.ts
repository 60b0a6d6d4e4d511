import type { HttpMethod } from "effect/http"
import type { Scope } from "../../src/accounts/Scope.ts"

const under = (at: string, fields: ReadonlyArray<string>) => fields.map((field) => `${at}.${field}`)

const vendors = (at: string) =>
  under(at, ["band", "label", "risk", "risk_metric", "score", "score_derived", "score_metric", "status", "vendor"])

const user = [
  "created_at",
  "email",
  "email_verified",
  "id",
  "is_anonymous",
  "language",
  "name",
  "referral_code",
  "updated_at"
]
const wallet = ["balance", "currency", "updated_at", "wallet_id"]
const transaction = [
  "amount",
  "created_at",
  "currency",
  "description",
  "external_id",
  "id",
  "payment_method",
  "status",
  "transaction_type",
  "updated_at",
  "user_id",
  "wallet_id"
]
const invoice = [
  ...under("buyer", ["address", "email", "name"]),
  "currency",
  "is_sandbox",
  "issued_at",
  ...under("lines[]", ["amount", "description", "quantity", "type", "unit_price"]),
  "number",
  "paid_at",
  "payment_method",
  "reversed",
  ...under("seller", ["address", "company", "email", "name", "url"]),
  "total",
  "transaction_id"
]
const autoTopUp = [
  "amount",
  "card_id",
  "charged_this_month",
  "enabled",
  "monthly_limit",
  "not_before",
  "stopped_by",
  "threshold",
  "updated_at"
]

const savedCard = ["brand", "created_at", "expiry_month", "expiry_year", "id", "last_digits"]

const deposit = [
  "amount",
  "created_at",
  "currency",
  "id",
  "payment_intent_id",
  "payment_method",
  "payment_url",
  "status"
]
const apiKey = [
  "allowed_ips",
  "created_at",
  "daily_spend_limit_usd",
  "expires_at",
  "id",
  "last_used_at",
  "name",
  "prefix",
  "scopes"
]
const session = [
  "address",
  "browser",
  "created_at",
  "expires_at",
  "id",
  "is_current",
  "last_used_at",
  "system",
  "user_agent"
]
const downloadLink = [
  "country",
  "created_at",
  "format",
  "id",
  "last_used_at",
  "name",
  "proxy_status",
  "proxy_type",
  "q",
  "sort",
  "template"
]
const offer = [
  "country_code",
  "currency",
  "description",
  "id",
  "ip_version",
  "is_available",
  "kind",
  "locations[].city",
  "locations[].region",
  "mode",
  "name",
  "options[].bandwidth_gb",
  "options[].period_days",
  "options[].period_months",
  "options[].period_name",
  "options[].price",
  "options[].tarification_index",
  "price_from_usd",
  "price_per_gb",
  "protocols"
]
const connection = [
  "client_id",
  "client_name",
  "created_at",
  "daily_spend_limit_usd",
  "id",
  "is_verified",
  "last_used_at",
  "resource",
  "scopes"
]
const flags = ["ip_reputation.check.enabled", "isp.city.enable", "orders.mobile.extend.too_early_guard"]

const endpoint = [
  "created_at",
  "enabled",
  "event_type",
  "failing_since",
  "id",
  "last_delivery_at",
  "last_test_at",
  "previous_secret_ends_at",
  "secret_preview",
  "updated_at",
  "url",
  "user_id"
]
const delivery = [
  "attempt",
  "created_at",
  "endpoint_id",
  "finished_at",
  "id",
  "next_attempt_at",
  "status",
  ...under("event", ["id", "is_test", "occurred_at", "order_id", "previous_status", "status"])
]
const attempt = ["attempt", "duration_ms", "error", "started_at", "status_code"]

const ipCheck = [
  "cached",
  "id",
  "ip",
  "partial",
  "risk_score",
  "verdict",
  ...under("charge", ["amount", "currency", "free"]),
  ...under("signals", ["blocklists", "datacenter", "known_abuser", "proxy_detected", "recent_abuse", "tor", "vpn"]),
  ...vendors("vendors[]")
]
const listing = ["attribution", "claim", "label", "listed", "network", "source", "synced_at"]
const survey = [
  "checked_at",
  "ip",
  ...under("listings[]", listing),
  ...under("cached_check", ["risk_score", "verdict"]),
  ...vendors("cached_check.vendors[]")
]

export const ip = { ip: "8.8.8.8" }
export const url = "https://example.com/"
export const money = { amount: 5, currency: "USD", payment_method: "card_gateway" }
const page = ["limit", "offset"]

/**
 * The callers of each operation and all fields of the answer. Callers are anyone, a signed-in person, or also an API
 * key with this scope or an unrestricted one.
 */
export const answers: ReadonlyArray<
  readonly [
    method: HttpMethod.HttpMethod,
    path: string,
    who: Scope | "anyone" | "session" | "full-access",
    status: number,
    fields: ReadonlyArray<string>,
    body?: object
  ]
> = [
  ["GET", "/catalog", "anyone", 200, ["kinds[].kind", ...under("kinds[].offers[]", offer), "total"]],
  ["GET", "/ip", "anyone", 200, ["ip"]],
  ["GET", "/users/me", "account:read", 200, user],
  ["GET", "/users/me/second-factor", "session", 200, ["enabled_at", "recovery_codes_left"]],
  ["GET", "/users/me/connections", "session", 200, [...under("connections[]", connection), ...page, "total"]],
  ["GET", "/auth/sessions", "session", 200, [...under("sessions[]", session), ...page, "total"]],
  ["GET", "/wallet", "wallet:read", 200, ["total", ...under("wallets[]", wallet)]],
  ["GET", "/wallet/balance", "wallet:read", 200, wallet],
  ["GET", "/wallet/transactions", "wallet:read", 200, ["total", ...under("transactions[]", transaction)]],
  ["GET", "/wallet/transactions/:deposit_id", "wallet:read", 200, transaction],
  ["GET", "/wallet/auto-top-up", "session", 200, autoTopUp],
  ["GET", "/wallet/cards", "session", 200, [...under("cards[]", savedCard), "total"]],
  ["POST", "/wallet/cards", "session", 201, ["url"]],
  ["GET", "/wallet/invoices", "wallet:read", 200, [...under("invoices[]", invoice), ...page, "total"]],
  ["GET", "/wallet/invoices/:number", "wallet:read", 200, invoice],
  ["POST", "/payments/deposits", "session", 201, deposit, money],
  ["GET", "/payments/deposits", "session", 200, [...under("deposits[]", deposit), ...page, "total"]],
  ["GET", "/payments/deposits/:deposit_id", "session", 200, deposit],
  ["GET", "/flags", "account:read", 200, under("flags", flags)],
  ["POST", "/api-keys", "session", 201, [...apiKey, "key"], { name: "key" }],
  ["GET", "/api-keys", "session", 200, [...under("api_keys[]", apiKey), ...page, "total"]],
  ["POST", "/download-links", "session", 201, [...downloadLink, "url"], { name: "link" }],
  ["GET", "/download-links", "session", 200, [...under("download_links[]", downloadLink), "total"]],
  ["GET", "/ip-check/quota", "account:read", 200, ["currency", "entitled", "free_available", "price", "used"]],
  ["POST", "/ip-check", "orders:write", 200, ipCheck, ip],
  ["POST", "/ip-check/sources", "account:read", 200, survey, ip],
  [
    "GET",
    "/ip-check/history",
    "account:read",
    200,
    [...under("checks[]", [...ipCheck, "created_at"]), ...page, "total"]
  ],
  ["GET", "/ip-check/:check_id", "account:read", 200, ipCheck],
  ["GET", "/webhooks", "full-access", 200, [...under("webhooks[]", endpoint), ...page, "total"]],
  ["POST", "/webhooks", "full-access", 201, [...endpoint, "signing_secret"], { url, enabled: false }],
  ["GET", "/webhooks/:endpoint_id", "full-access", 200, endpoint],
  ["PATCH", "/webhooks/:endpoint_id", "full-access", 200, endpoint, {}],
  [
    "POST",
    "/webhooks/:endpoint_id/test",
    "full-access",
    200,
    ["delivered", "delivery_id", "duration_ms", "error", "status_code"]
  ],
  ["POST", "/webhooks/:endpoint_id/rotate-secret", "full-access", 200, [...endpoint, "signing_secret"]],
  [
    "GET",
    "/webhooks/:endpoint_id/deliveries",
    "full-access",
    200,
    [...under("deliveries[]", delivery), ...page, "total"]
  ],
  [
    "GET",
    "/webhooks/:endpoint_id/deliveries/:delivery_id",
    "full-access",
    200,
    [...delivery, ...under("attempts[]", attempt)]
  ]
]
