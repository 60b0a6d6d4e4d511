import { Duration, Effect, Schema } from "effect"
import { Text } from "../../platform/Text.ts"
import type { ProviderProxy } from "../ProxyProvider.ts"
import type { Delivery, Sold } from "../Vendor.ts"
import { refused } from "../VendorFault.ts"
import type { VendorPurchase } from "../VendorPurchasesRepo.ts"
import * as VendorTime from "../VendorTime.ts"
import * as Article from "./ProxySellerArticle.ts"
import type { ProxySellerClient } from "./ProxySellerClient.ts"

const Maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const Numeric = Schema.Union([Schema.Finite, Schema.String])

/** A proxy in the vendor's lists. Its `id` changes when it is prolonged; that of its order does not. */
const Row = Schema.Struct({
  id: Text(1, 100),
  order_number: Text(1, 200),
  /** Of IPv6 proxies with the port. */
  ip: Text(1, 100),
  ip_only: Maybe(Text(0, 100)),
  port_http: Maybe(Numeric),
  port_socks: Maybe(Numeric),
  login: Maybe(Text(0, 255)),
  password: Maybe(Text(0, 255)),
  rotation: Maybe(Numeric),
  link_reboot: Maybe(Schema.String),
  country_alpha3: Maybe(Schema.String),
  date_end: Schema.String,
  status: Maybe(Schema.String),
  status_type: Maybe(Schema.String)
})
type Row = typeof Row.Type

/** A login or a source address that opens the proxies of an order. */
export const Authorization = Schema.Struct({
  id: Schema.String,
  active: Schema.optionalKey(Schema.Boolean),
  login: Maybe(Text(0, 255)),
  password: Maybe(Text(0, 255)),
  ip: Maybe(Text(0, 100)),
  orderNumber: Schema.String
})
export type Authorization = typeof Authorization.Type

const Typed = Schema.Struct({ items: Schema.Array(Row) })
const BySection = Schema.Record(Schema.String, Schema.Unknown)
const isRow = Schema.is(Row)
const isNonEmpty = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value) && value.length > 0

/** What is none of these is live: an order is not ended for a word that we do not know. */
const endedStates = new Set(["ENDED", "CLOSED", "CANCELLED", "CANCELED", "RETURN", "BLOCKED", "EXPIRED"])

/** A prolonged order has a new number that begins like the first. */
const isOfOrder = (number: string, other: string) => number.split("_e_")[0] === other.split("_e_")[0]

const portOf = (value: number | string | null | undefined) => {
  const port = Number(value ?? Number.NaN)
  return Number.isInteger(port) && port >= 1 && port <= 65_535 ? port : undefined
}

const toProxy = (
  row: Row,
  authorizations: ReadonlyArray<Authorization>,
  section: Article.Section,
  { protocol, vendor_order_id }: Sold
): Delivery => {
  const [address = "", suffix] = section === "ipv6" ? row.ip.split(":") : [row.ip]
  const host = row.ip_only || address
  const port = portOf(protocol === "SOCKS5" ? row.port_socks : row.port_http) ?? portOf(suffix)
  const expires_at = VendorTime.parse(row.date_end)
  const active = authorizations.filter(({ active }) => active !== false)
  const { login, password } = active.find(({ login, password }) => login && password) ?? row
  if (port === undefined || expires_at === undefined || !login || !password) return "absent"
  const proxy: ProviderProxy = {
    provider_proxy_id: vendor_order_id,
    is_live: !endedStates.has((row.status_type || row.status || "").toUpperCase()),
    host,
    port,
    username: login,
    password,
    protocol,
    expires_at,
    whitelisted_ips: active.flatMap(({ ip }) => ip || []),
    bandwidth_gb: null,
    used_gb: null,
    current_ip: section === "ipv4" || section === "isp" ? host : null,
    signature: null,
    isp: null
  }
  return proxy
}

/** When the vendor made an order: its id is an ObjectId, which begins with that in seconds. */
export const placedAt = (order_id: string): number => Number.parseInt(order_id.slice(0, 8), 16) * 1000

/** Months are of 28 to 31 days, and the end may be that of the day. */
const isAbout = (days: number, expected: number) => Math.abs(days - expected) <= 2 + expected / 20

const isSameArticle = (row: Row, order_id: string, purchase: VendorPurchase, { country, line }: Article.Goods) => {
  const expires_at = VendorTime.parse(row.date_end)
  const days = ((expires_at?.epochMilliseconds ?? 0) - placedAt(order_id)) / Duration.toMillis("1 day")
  const isThere = row.country_alpha3 == null || row.country_alpha3 === country
  const rotates = line === null || row.rotation == null || Number(row.rotation) === line.rotation
  return isThere && rotates && isAbout(days, purchase.period_days)
}

const unknownArticle = refused("the article is none of the vendor's")

/** Reads proxies and who may use them. */
export const make = (client: ProxySellerClient) => {
  const sectionOf = Effect.fnUntraced(function* ({ article }: VendorPurchase) {
    return (Article.parse(article) ?? (yield* unknownArticle)).goods.section
  })

  const row = Effect.fnUntraced(function* (purchase: Sold) {
    const { items } = yield* client.call({
      kind: "read",
      path: `proxy/list/${yield* sectionOf(purchase)}`,
      query: { orderId: purchase.vendor_order_id },
      schema: Typed
    })
    return items[0]
  })

  const authorizations = Effect.fnUntraced(function* (order_number: string) {
    const all = yield* client.call({ kind: "read", path: "auth/list", schema: Schema.Array(Authorization) })
    return all
      .filter(({ orderNumber }) => isOfOrder(orderNumber, order_number))
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
  })

  return {
    row,
    authorizations,
    sectionOf,

    read: Effect.fnUntraced(function* (purchase: Sold) {
      const found = yield* row(purchase)
      if (found === undefined) return "absent"
      return toProxy(found, yield* authorizations(found.order_number), yield* sectionOf(purchase), purchase)
    }),

    isOfArticle: Effect.fnUntraced(function* (order_id: string, purchase: VendorPurchase) {
      const { goods } = Article.parse(purchase.article) ?? (yield* unknownArticle)
      const lists = yield* client.call({
        kind: "read",
        path: "proxy/list",
        query: { orderId: order_id },
        schema: BySection
      })
      const ours = lists[goods.section]
      if (!isNonEmpty(ours)) return Object.values(lists).some(isNonEmpty) ? "no" : "unclear"
      const [found] = ours
      return isRow(found) && isSameArticle(found, order_id, purchase, goods) ? "yes" : "no"
    })
  }
}
export type ProxySellerProxies = ReturnType<typeof make>
