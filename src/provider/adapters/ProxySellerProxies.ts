import { Duration, Effect, Schema } from "effect"
import { Text } from "../../platform/fields/Text.ts"
import type { Delivery, VendorOrder, Verdict } from "../vendors/Vendor.ts"
import { pending, refused, type VendorFailure } from "../vendors/VendorFailure.ts"
import type { SoldPurchase, VendorPurchase } from "../vendors/VendorPurchase.ts"
import * as VendorTime from "../vendors/VendorTime.ts"
import * as Article from "./ProxySellerArticle.ts"
import type { ProxySellerClient } from "./ProxySellerClient.ts"

const Maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const Numeric = Schema.Union([Schema.Finite, Schema.String])

/** A proxy in the vendor's lists. A prolongation changes its `id`, but not the id of its order. */
const Row = Schema.Struct({
  id: Text(1, 100),
  order_number: Text(1, 200),
  /** For an IPv6 proxy, a colon and the port follow the address. */
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

const RowList = Schema.Struct({ items: Schema.Array(Row) })
const BySection = Schema.Record(Schema.String, Schema.Unknown)
const isRow = Schema.is(Row)
const isNonEmpty = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value) && value.length > 0

/** The statuses of an ended order. An unknown status counts as live. */
const endedStates = new Set(["ENDED", "CLOSED", "CANCELLED", "CANCELED", "RETURN", "BLOCKED", "EXPIRED"])

/** True when both numbers are of one order. A prolongation appends `_e_` and a counter to the number. */
const isOfOrder = (number: string, other: string) => number.split("_e_")[0] === other.split("_e_")[0]

const portOf = (value: number | string | null | undefined) => {
  const port = Number(value ?? Number.NaN)
  return Number.isInteger(port) && port >= 1 && port <= 65_535 ? port : undefined
}

const toDelivery = Effect.fnUntraced(function* (
  row: Row,
  authorizations: ReadonlyArray<Authorization>,
  section: Article.Section,
  { protocol, vendor_order_id }: SoldPurchase
) {
  const [address = "", suffix] = section === "ipv6" ? row.ip.split(":") : [row.ip]
  const host = row.ip_only || address
  const port = portOf(protocol === "SOCKS5" ? row.port_socks : row.port_http) ?? portOf(suffix)
  const expires_at = VendorTime.parse(row.date_end)
  const active = authorizations.filter(({ active }) => active !== false)
  const { login, password } = active.find(({ login, password }) => login && password) ?? row
  const isEnded = endedStates.has((row.status_type || row.status || "").toUpperCase())
  if (port === undefined || expires_at === undefined || !login || !password)
    return isEnded ? "void" : yield* pending(`order ${vendor_order_id} is not complete`)
  const delivery: Delivery = {
    provider_proxy_id: vendor_order_id,
    is_live: !isEnded,
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
  return delivery
})

/** Reads the time of an order in epoch milliseconds: an ObjectId begins with its time in seconds. NaN: no ObjectId. */
export const placedAt = (order_id: string): number =>
  /^[0-9a-f]{24}$/i.test(order_id) ? Number.parseInt(order_id.slice(0, 8), 16) * 1000 : Number.NaN

/** The periods that the vendor sells, in days. A row with another period is incomplete. */
const soldDays = [7, 14, ...Array.from({ length: 12 }, (_, month) => (month + 1) * 30)]

/** Compares periods with a tolerance: months have 28 to 31 days, and a proxy may end at the end of its day. */
const isAbout = (days: number, expected: number) => days > 0.5 && Math.abs(days - expected) <= 2 + expected / 20

/** Judges a row against a purchase. The row of a mobile proxy contains neither operator nor service. */
const verdictOn = (row: Row, order_id: string, purchase: VendorPurchase, { country, line }: Article.Goods): Verdict => {
  const rotation = row.rotation == null || row.rotation === "" ? Number.NaN : Number(row.rotation)
  const isElsewhere = Boolean(row.country_alpha3) && row.country_alpha3?.toUpperCase() !== country.toUpperCase()
  if (isElsewhere || (line !== null && Number.isFinite(rotation) && rotation !== line.rotation)) return "no"
  const end = VendorTime.parse(row.date_end)?.epochMilliseconds ?? Number.NaN
  const days = (end - placedAt(order_id)) / Duration.toMillis("1 day")
  if (isAbout(days, purchase.period_days)) return "yes"
  return soldDays.some((sold) => isAbout(days, sold)) ? "no" : "unclear"
}

const unknownArticle = refused("the vendor has no such article")

export interface ProxySellerProxies {
  readonly row: (purchase: SoldPurchase) => Effect.Effect<Row | undefined, VendorFailure>
  readonly sectionOf: (purchase: VendorPurchase) => Effect.Effect<Article.Section, VendorFailure>
  /** Reads the authorizations of an order, oldest first. Never uses a remembered answer: another process may have changed them. */
  readonly authorizations: (order_number: string) => Effect.Effect<ReadonlyArray<Authorization>, VendorFailure>
  readonly read: (purchase: SoldPurchase) => Effect.Effect<Delivery, VendorFailure>
  /** Judges from the vendor's lists whether an order belongs to a purchase. */
  readonly judge: (order_id: string) => VendorOrder["judge"]
}

/** Reads proxies and their authorizations. */
export const make = Effect.fnUntraced(function* (client: ProxySellerClient): Effect.fn.Return<ProxySellerProxies> {
  // The vendor lists all logins together, and each read of a proxy needs them.
  const all = yield* client.remembered(
    client.call({ kind: "read", path: "auth/list", schema: Schema.Array(Authorization) })
  )

  const sectionOf = Effect.fnUntraced(function* ({ article }: VendorPurchase) {
    return (Article.parse(article) ?? (yield* unknownArticle)).goods.section
  })

  const row = Effect.fnUntraced(function* (purchase: SoldPurchase) {
    const { items } = yield* client.call({
      kind: "read",
      path: `proxy/list/${yield* sectionOf(purchase)}`,
      query: { orderId: purchase.vendor_order_id },
      schema: RowList
    })
    return items[0]
  })

  const authorizations = (order_number: string, read = all.answer) =>
    Effect.map(read, (authorizations) =>
      authorizations
        .filter(({ orderNumber }) => isOfOrder(orderNumber, order_number))
        .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    )

  return {
    row,
    sectionOf,

    authorizations: (order_number: string) => authorizations(order_number, all.fresh),

    read: Effect.fnUntraced(function* (purchase: SoldPurchase) {
      const found = yield* row(purchase)
      if (found === undefined) return "absent"
      return yield* toDelivery(found, yield* authorizations(found.order_number), yield* sectionOf(purchase), purchase)
    }),

    judge: (order_id: string) => {
      const query = { orderId: order_id }
      return Effect.map(
        client.call({ kind: "read", path: "proxy/list", query, schema: BySection }),
        (lists) =>
          (purchase: VendorPurchase): Verdict => {
            const goods = Article.parse(purchase.article)?.goods
            const ours = goods && lists[goods.section]
            if (goods === undefined || !isNonEmpty(ours))
              return Object.values(lists).some(isNonEmpty) ? "no" : "unclear"
            const [found] = ours
            return isRow(found) ? verdictOn(found, order_id, purchase, goods) : "unclear"
          }
      )
    }
  }
})
