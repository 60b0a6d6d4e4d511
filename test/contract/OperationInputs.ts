import { Scope } from "../../src/accounts/Scope.ts"
import { money, url } from "./OperationAnswers.ts"

const text = (length: number) => "x".repeat(length)
const numbers = (maximum: number) =>
  [
    ["1", String(maximum)],
    ["0", String(maximum + 1), "-1", "x", "", "1.5", "1e1", "1&limit=2"]
  ] as const
const offsets = [
  ["0", "1000000000"],
  ["-1", "1000000001", "x", "", "1.5"]
] as const
const place = [
  ["x", text(100)],
  ["", text(101), "a%00b"]
] as const

/** Valid and invalid values of each query parameter, up to its limits. */
export const parameters: ReadonlyArray<
  readonly [path: string, name: string, taken: ReadonlyArray<string>, refused: ReadonlyArray<string>]
> = [
  ["/catalog", "region", ...place],
  ["/catalog", "city", ...place],
  ["/orders", "q", ...place],
  ["/orders", "country", ["DE", "de"], ["D", "DEU", "1A", ""]],
  ["/orders", "sort", ["created_at", "expires_at", "name"], ["id", "Name", ""]],
  ["/orders/export", "q", ...place],
  ["/orders/export", "limit", ...numbers(10_000)],
  ["/orders/export", "offset", ...offsets],
  ["/orders/export", "format", ["txt", "csv", "json"], ["xml", "own", ""]],
  [
    "/orders/export",
    "template",
    ["x", "{host}:{port}", "{protocol}{username}{password}{country}{city}{name}", "{", "}{", text(500)],
    ["", text(501), "{Host}", "{}", "{host}{secret}", "{constructor}", "a%00b"]
  ],
  ["/wallet/balance", "currency", ["USD", "STAR"], ["EUR", "usd", ""]],
  ["/wallet/transactions", "currency", ["USD", "STAR"], ["EUR", "usd", ""]],
  ["/wallet/transactions", "transaction_type", ["deposit", "withdrawal", "payment", "refund"], ["gift", "Deposit", ""]],
  ["/wallet/transactions", "limit", ...numbers(1000)],
  ["/wallet/transactions", "offset", ...offsets],
  ["/wallet/invoices", "limit", ...numbers(100)],
  ["/wallet/invoices", "offset", ...offsets],
  ["/payments/deposits", "limit", ...numbers(100)],
  ["/payments/deposits", "offset", ...offsets],
  ["/users/me/connections", "limit", ...numbers(100)],
  ["/users/me/connections", "offset", ...offsets],
  ["/auth/sessions", "limit", ...numbers(100)],
  ["/auth/sessions", "offset", ...offsets],
  ["/api-keys", "limit", ...numbers(100)],
  ["/api-keys", "offset", ...offsets],
  ["/ip-check/history", "limit", ...numbers(100)],
  ["/ip-check/history", "offset", ...offsets],
  ["/webhooks", "limit", ...numbers(100)],
  ["/webhooks", "offset", ...offsets],
  ["/webhooks/:endpoint_id/deliveries", "limit", ...numbers(100)],
  ["/webhooks/:endpoint_id/deliveries", "offset", ...offsets],
  [
    "/webhooks/:endpoint_id/deliveries",
    "status",
    ["pending", "delivered", "failed", "abandoned", "cancelled"],
    ["lost", ""]
  ]
]

const some = <A>(length: number, make: (index: number) => A) => Array.from({ length }, (_, index) => make(index))
const addresses = (length: number) => some(length, (index) => `192.0.2.${index}`)
const scopes = (length: number) => some(length, () => "orders:read")

/** The same for a field of a body. `undefined` leaves the field out. */
export const bodies: ReadonlyArray<
  readonly [path: string, rest: object, field: string, taken: ReadonlyArray<unknown>, refused: ReadonlyArray<unknown>]
> = [
  ["/api-keys", {}, "name", ["x", text(100)], ["", text(101), 7, null, undefined]],
  [
    "/api-keys",
    { name: "key" },
    "scopes",
    [scopes(1), Scope.literals, scopes(20), null],
    [[], scopes(21), [7], "orders:read"]
  ],
  ["/api-keys", { name: "key" }, "expires_at", ["2100-01-01T00:00:00Z", null], ["2020-01-01T00:00:00Z", "", 7]],
  [
    "/api-keys",
    { name: "key" },
    "allowed_ips",
    [addresses(1), addresses(100), null],
    [[], addresses(101), [7], "192.0.2.1"]
  ],
  [
    "/api-keys",
    { name: "key" },
    "daily_spend_limit_usd",
    [0.000_001, 1_000_000, null],
    [0, 1_000_000.000_001, "x", [5]]
  ],
  ["/download-links", {}, "name", ["x", text(100)], ["", text(101), 7, null, undefined]],
  ["/download-links", { name: "link" }, "format", ["txt", "csv", "json", null], ["xml", "", 7]],
  ["/download-links", { name: "link" }, "template", ["{host}", text(500), null], ["", text(501), "{hosts}", 7]],
  ["/download-links", { name: "link", format: "csv" }, "template", [null], ["{host}"]],
  ["/download-links", { name: "link" }, "q", ["x", text(100)], ["", text(101), 7]],
  ["/download-links", { name: "link" }, "country", ["de", null], ["DEU", "", 7]],
  ["/download-links", { name: "link" }, "proxy_type", ["mobile"], ["isp", 7]],
  ["/download-links", { name: "link" }, "proxy_status", ["expired"], ["pending", 7]],
  ["/download-links", { name: "link" }, "sort", ["name"], ["id", 7]],
  ["/webhooks", { enabled: false }, "url", [url, `${url}${text(2028)}`], [`${url}${text(2029)}`, 7, null, undefined]],
  ["/webhooks", { url }, "enabled", [false, undefined], ["yes", 1]],
  ["/payments/deposits", money, "currency", ["USD"], ["EUR", "usd", 7, null, undefined]],
  [
    "/payments/deposits",
    money,
    "payment_method",
    ["card_gateway", "crypto_gateway"],
    ["wallet", "paypal", 7, null, undefined]
  ]
]
