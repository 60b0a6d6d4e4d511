import { Duration, Effect, Schema } from "effect"
import { Text } from "../../platform/Text.ts"
import type { ProxyAccess, ProxyExtension, ProxyProvider } from "../ProxyProvider.ts"
import type { Delivery, Sold, Vendor } from "../Vendor.ts"
import * as VendorExtension from "../VendorExtension.ts"
import { asAnswered, asBought, asChanged, refused } from "../VendorFault.ts"
import { type Buying, VendorPurchases } from "../VendorPurchases.ts"
import type { VendorPurchase } from "../VendorPurchasesRepo.ts"
import * as VendorTime from "../VendorTime.ts"
import * as Client from "./IpRoyalClient.ts"
import * as IpRoyalProducts from "./IpRoyalProducts.ts"

const { name } = Client

const settlesAfter = Duration.minutes(10)
/** Together with the call itself this is shorter than a provisioning may take. */
const waiting = { every: Duration.seconds(2), times: 5 }

/** Of orders placed within the time of a look-up there are fewer. */
const pageSize = 100

const Proxy = Schema.Struct({ ip: Text(1, 100), username: Text(1, 255), password: Text(1, 255) })

const Order = Schema.Struct({
  id: Schema.Int,
  status: Schema.String,
  plan_name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  quantity: Schema.Int,
  /** UTC; null until it is delivered. */
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

/** What is none of these is live: an order is not ended for a word that we do not know. */
const ended = new Set(["refunded", "expired", "unpaid"])

const toDelivery = (order: Order, { protocol }: Sold): Delivery => {
  const [proxy] = order.proxy_data?.proxies ?? []
  const expires_at = VendorTime.parse(order.expire_date ?? "")
  const isEnded = ended.has(order.status)
  if (proxy === undefined || expires_at === undefined) return isEnded ? "void" : "absent"
  return {
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
}

type Products = Effect.Success<ReturnType<typeof IpRoyalProducts.make>>

const articleOf = Effect.fnUntraced(function* ({ article }: Pick<VendorPurchase, "article">) {
  return IpRoyalProducts.parseArticle(article) ?? (yield* refused("the article is none of the vendor's"))
})

const vendorOf = (client: Client.IpRoyalClient, products: Products, settings: Client.Settings): Vendor => {
  const newest = { sort_by: "id", order: "desc", page: 1 }

  return {
    name,
    settlesAfter,
    waiting: settings.waiting ?? waiting,
    // The vendor's orders carry no time of theirs, but are numbered.
    prepare: Effect.fnUntraced(function* (request) {
      const article = yield* products.articleFor(request)
      const query = { ...newest, per_page: 1 }
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
        // Renewals are ours to bill.
        auto_extend: false
      }
      return String((yield* client.call({ kind: "money", path: "orders", body, schema: Placed, before })).id)
    }),
    read: Effect.fnUntraced(function* (purchase) {
      const order = yield* client.find({ path: `orders/${purchase.vendor_order_id}`, schema: Order })
      return order === undefined ? "absent" : toDelivery(order, purchase)
    }),
    ordersSince: Effect.fnUntraced(function* (purchase) {
      const { location, plan_name, product } = yield* articleOf(purchase)
      const query = { ...newest, per_page: pageSize, product_id: product, location_id: location }
      const { data } = yield* client.call({ kind: "read", path: "orders", query, schema: Orders })
      return data
        .filter(({ id, quantity, status }) => id > Number(purchase.mark) && quantity === 1 && !ended.has(status))
        .toSorted((one, other) => one.id - other.id)
        .map((order) => ({
          id: String(order.id),
          isOfArticle: Effect.succeed(order.plan_name === plan_name ? "yes" : "no")
        }))
    }),
    delivered: () => Effect.void
  }
}

const changes = (client: Client.IpRoyalClient, products: Products, buying: Buying, settings: Client.Settings) => {
  const setLogin = Effect.fnUntraced(function* (purchase: Sold, { logins, whitelisted_ips = [] }: ProxyAccess) {
    if (whitelisted_ips.length > 0) return yield* refused("the vendor has no whitelist of addresses")
    const [login, ...more] = logins ?? []
    if (more.length > 0) return yield* refused("the vendor keeps one login for a proxy")
    if (login === undefined) return
    const { host } = yield* buying.proxyOf(purchase)
    const body = { order_id: Number(purchase.vendor_order_id), proxies: [host], ...login }
    yield* client.call({ kind: "write", path: "orders/proxies/change-credentials", body, schema: Schema.Unknown })
  })

  return {
    extend: Effect.fn("iproyal.extend")(function* (id: string, extension: ProxyExtension) {
      const purchase = yield* buying.purchaseOf(id)
      const { product } = yield* articleOf(purchase)
      const plan = yield* products.plan(product, extension)
      const body = { product_plan_id: plan.id }
      yield* client.call({ kind: "money", path: `orders/${id}/extend`, body, schema: Schema.Unknown })
      return yield* VendorExtension.settled(buying, settings.waiting ?? waiting, purchase, extension)
    }, asBought(name)),

    findChange: VendorExtension.findChange(name, buying),

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
  const products = yield* IpRoyalProducts.make(client, settings)
  const buying = (yield* VendorPurchases).from(vendorOf(client, products, settings))
  const { find, get, provision } = buying
  const provider: ProxyProvider = {
    name,
    find_settles_after: settlesAfter,
    signatures: [],
    offers: products.offers.pipe(asAnswered(name)),
    provision,
    find,
    get,
    ...changes(client, products, buying, settings)
  }
  return provider
})

/** IPRoyal, as the variables `IPROYAL_*` say. */
export const make = Effect.flatMap(Client.Settings, makeWith)
