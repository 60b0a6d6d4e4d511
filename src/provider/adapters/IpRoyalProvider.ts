import { Duration, Effect, Schema } from "effect"
import { Text } from "../../platform/fields/Text.ts"
import type { ProxyAccess, ProxyExtension, ProxyProvider } from "../ProxyProvider.ts"
import { type Delivery, type Login, shortWaiting, type Vendor } from "../vendors/Vendor.ts"
import { asAnswered, asBought, asChanged, pending, refused } from "../vendors/VendorFailure.ts"
import { type Buying, VendorPurchases } from "../vendors/VendorPurchases.ts"
import type { SoldPurchase, VendorPurchase } from "../vendors/VendorPurchase.ts"
import * as VendorPrice from "../vendors/VendorPrice.ts"
import * as VendorTime from "../vendors/VendorTime.ts"
import * as Client from "./IpRoyalClient.ts"
import * as IpRoyalProducts from "./IpRoyalProducts.ts"

const { name } = Client

/** A new order is in the vendor's lists after this time. */
const settlesAfter = Duration.minutes(10)

/** A look-up reads at most 5 pages of 100 orders. */
const pageSize = 100
const maxPages = 5

const Proxy = Schema.Struct({ ip: Text(1, 100), username: Text(1, 255), password: Text(1, 255) })

const Order = Schema.Struct({
  id: Schema.Int,
  status: Schema.String,
  plan_name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  quantity: Schema.Int,
  /** UTC. Null until the order is delivered. */
  expire_date: Schema.NullOr(Schema.String),
  proxy_data: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        ports: Schema.optionalKey(Schema.Record(Schema.String, Schema.Int)),
        proxies: Schema.optionalKey(Schema.NullOr(Schema.Array(Proxy)))
      })
    )
  )
})
type Order = typeof Order.Type
const Placed = Schema.Struct({ id: Schema.Int })
const Orders = Schema.Struct({ data: Schema.Array(Order) })

const defaultPorts = { HTTP: 12_323, HTTPS: 12_323, SOCKS5: 12_324 }
const portNames = { HTTP: "http|https", HTTPS: "http|https", SOCKS5: "socks5" }

/** The statuses of an ended order. An unknown status counts as live. */
const ended = new Set(["refunded", "expired", "unpaid"])

const toDelivery = Effect.fnUntraced(function* (order: Order, { protocol }: SoldPurchase) {
  const [proxy] = order.proxy_data?.proxies ?? []
  const expires_at = VendorTime.parse(order.expire_date ?? "")
  const isEnded = ended.has(order.status)
  if (proxy === undefined || expires_at === undefined)
    return isEnded ? "void" : yield* pending(`order ${order.id} is ${order.status} and not complete`)
  const delivery: Delivery = {
    provider_proxy_id: String(order.id),
    is_live: !isEnded,
    host: proxy.ip,
    port: order.proxy_data?.ports?.[portNames[protocol]] ?? defaultPorts[protocol],
    username: proxy.username,
    password: proxy.password,
    protocol,
    expires_at,
    whitelisted_ips: [],
    bandwidth_gb: null,
    used_gb: null,
    current_ip: proxy.ip,
    signature: null,
    isp: null
  }
  return delivery
})

const articleOf = Effect.fnUntraced(function* ({ article }: Pick<VendorPurchase, "article">) {
  return IpRoyalProducts.parseArticle(article) ?? (yield* refused("the vendor has no such article"))
})

const changeLogin = (client: Client.IpRoyalClient, { vendor_order_id }: SoldPurchase, host: string, login: Login) =>
  client.call({
    kind: "write",
    path: "orders/proxies/change-credentials",
    body: { order_id: Number(vendor_order_id), proxies: [host], ...login },
    schema: Schema.Unknown
  })

const vendorOf = (
  client: Client.IpRoyalClient,
  products: IpRoyalProducts.IpRoyalProducts,
  settings: Client.Settings
): Vendor => {
  const newest = { sort_by: "id", order: "desc" }

  const ordersSince = Effect.fnUntraced(function* (purchase: VendorPurchase) {
    const { location, product } = yield* articleOf(purchase)
    const found: Array<Order> = []
    for (let page = 1; page <= maxPages; page++) {
      const query = { ...newest, page, per_page: pageSize, product_id: product, location_id: location }
      const { data } = yield* client.call({ kind: "read", path: "orders", query, schema: Orders })
      const recent = data.filter(({ id }) => id > Number(purchase.mark))
      found.push(...recent)
      // A page may be short without being the last one. The last one has older orders, or none.
      if (recent.length < data.length || data.length === 0)
        return found
          .filter(({ quantity, status }) => quantity === 1 && !ended.has(status))
          .toSorted((one, other) => one.id - other.id)
          .map(({ id, plan_name }) => ({
            id: String(id),
            judge: Effect.succeed(({ article }: VendorPurchase) =>
              IpRoyalProducts.judge({ product, location }, plan_name ?? null, article)
            )
          }))
    }
    return yield* pending("too many orders were placed since the purchase")
  })

  return {
    name,
    settlesAfter,
    waiting: settings.waiting ?? shortWaiting,
    // The vendor's orders show no time, but their ids ascend.
    prepare: Effect.fnUntraced(function* (request) {
      const article = yield* products.articleFor(request)
      const query = { ...newest, page: 1, per_page: 1 }
      const { data } = yield* client.call({ kind: "read", path: "orders", query, schema: Orders })
      return { article, mark: String(Math.max(0, ...data.map(({ id }) => id))) }
    }),
    buy: Effect.fnUntraced(function* (wanted, before) {
      const { location, plan, product } = yield* articleOf(wanted)
      const body = {
        product_id: product,
        product_plan_id: plan,
        product_location_id: location,
        quantity: 1,
        // The service bills renewals itself.
        auto_extend: false
      }
      return String((yield* client.call({ kind: "money", path: "orders", body, schema: Placed, before })).id)
    }),
    read: Effect.fnUntraced(function* (purchase) {
      const order = yield* client.find({ path: `orders/${purchase.vendor_order_id}`, schema: Order })
      return order === undefined ? "absent" : yield* toDelivery(order, purchase)
    }),
    ordersSince,
    delivered: () => Effect.void,
    lock: (purchase, { host }, login) => changeLogin(client, purchase, host, login)
  }
}

const changes = (client: Client.IpRoyalClient, products: IpRoyalProducts.IpRoyalProducts, buying: Buying) => {
  const setLogin = Effect.fnUntraced(function* (purchase: SoldPurchase, { logins, whitelisted_ips = [] }: ProxyAccess) {
    if (whitelisted_ips.length > 0) return yield* refused("the vendor supports no whitelist")
    const [login, ...more] = logins ?? []
    if (more.length > 0) return yield* refused("the vendor supports one login per proxy")
    if (login !== undefined) yield* changeLogin(client, purchase, (yield* buying.proxyOf(purchase)).host, login)
  })

  return {
    extend: Effect.fn("iproyal.extend")(function* (id: string, extension: ProxyExtension) {
      const purchase = yield* buying.purchaseOf(id)
      const { product } = yield* articleOf(purchase)
      const plan = yield* products.plan(product, extension)
      const body = { product_plan_id: plan.id }
      yield* client.call({ kind: "money", path: `orders/${id}/extend`, body, schema: Schema.Unknown })
      return yield* buying.extended(purchase, extension)
    }, asBought(name)),

    setAccess: Effect.fn("iproyal.setAccess")(function* (id: string, access: ProxyAccess) {
      const purchase = yield* buying.purchaseOf(id)
      yield* setLogin(purchase, access)
      return yield* buying.proxyOf(purchase)
    }, asChanged(name)),

    setProtocol: Effect.fn("iproyal.setProtocol")(function* (id: string, protocol: VendorPurchase["protocol"]) {
      return yield* buying.setProtocol(yield* buying.purchaseOf(id), protocol)
    }, asChanged(name))
  }
}

export const makeWith = Effect.fnUntraced(function* (settings: Client.Settings) {
  const client = yield* Client.make(settings)
  const products = yield* IpRoyalProducts.make(client)
  const buying = (yield* VendorPurchases).from(vendorOf(client, products, settings))
  const { find, findChange, get, provision, release } = buying
  const provider: ProxyProvider = {
    name,
    find_settles_after: settlesAfter,
    markup: settings.markup_percent * 100,
    signatures: [],
    offers: products.offers.pipe(asAnswered(name)),
    balance: client.call({ kind: "read", path: "balance", schema: VendorPrice.Balance }).pipe(asAnswered(name)),
    provision,
    find,
    findChange,
    get,
    release,
    ...changes(client, products, buying)
  }
  return provider
})

/** IPRoyal, configured by the variables `IPROYAL_*`. */
export const make = Effect.flatMap(Client.Settings, makeWith)
