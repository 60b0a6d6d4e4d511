import { DateTime, Duration, Effect, Schema } from "effect"
import type { ProxyAccess, ProxyExtension, ProxyProvider } from "../ProxyProvider.ts"
import { shortWaiting, type Vendor } from "../vendors/Vendor.ts"
import { asAnswered, asBought, asChanged, pending, refused } from "../vendors/VendorFailure.ts"
import { type Buying, VendorPurchases } from "../vendors/VendorPurchases.ts"
import type { SoldPurchase, VendorPurchase } from "../vendors/VendorPurchase.ts"
import * as VendorPrice from "../vendors/VendorPrice.ts"
import * as SetProxySellerAccess from "./SetProxySellerAccess.ts"
import * as Article from "./ProxySellerArticle.ts"
import * as Client from "./ProxySellerClient.ts"
import * as ReadProxySellerOffers from "./ReadProxySellerOffers.ts"
import * as ProxySellerProxies from "./ProxySellerProxies.ts"

const { name } = Client

/** The vendor documents one minute until an order is active. Ten minutes allow for late lists. */
const settlesAfter = Duration.minutes(10)

/** The longest time that the vendor's clock may be behind ours. */
const skew = Duration.minutes(5)
const pageSize = 100
const maxPages = 5

const Made = Schema.Struct({ orderId: Schema.String.check(Schema.isPattern(/^[0-9a-f]{24}$/i)) })
const Prolonged = Schema.Struct({ total: Schema.Finite })
const Balance = Schema.Struct({ summ: VendorPrice.Balance })
const Orders = Schema.Struct({ items: Schema.Array(Schema.Struct({ order_id: Schema.String })) })

const vendorOf = (
  client: Client.ProxySellerClient,
  proxies: ProxySellerProxies.ProxySellerProxies,
  setAccess: SetProxySellerAccess.SetAccess,
  settings: Client.Settings
): Vendor => {
  const ordersSince = Effect.fnUntraced(function* (purchase: VendorPurchase) {
    const since = DateTime.subtractDuration(purchase.requested_at, skew).epochMilliseconds
    const found: Array<string> = []
    for (let page = 1; page <= maxPages; page++) {
      const query = { status: "PAYED", is_extend: "N", sort_by: "date_insert", order: "desc", page, limit: pageSize }
      const { items } = yield* client.call({ kind: "read", path: "order/list", query, schema: Orders })
      // An order without a readable time may be recent.
      const recent = items.filter(({ order_id }) => !(ProxySellerProxies.placedAt(order_id) < since))
      found.push(...recent.map(({ order_id }) => order_id))
      // A page may be short without being the last one. The last one has older orders, or none.
      if (recent.length < items.length || items.length === 0)
        return found.toReversed().map((id) => ({ id, judge: proxies.judge(id) }))
    }
    return yield* pending("too many orders were placed since the purchase")
  })

  return {
    name,
    settlesAfter,
    waiting: settings.waiting ?? shortWaiting,
    // The id of an order contains its time, so no mark is needed.
    prepare: ({ external_id, period_days, period_months }) =>
      Effect.succeed({
        article: Article.withPeriod(external_id, Article.periodOf({ period_days, period_months })),
        mark: ""
      }),
    buy: Effect.fnUntraced(function* ({ article, protocol }, before) {
      const { goods, period } = Article.parse(article) ?? (yield* refused("the vendor does not sell the article"))
      const order = Article.orderBody(goods, period, settings.purpose, protocol === "SOCKS5")
      // Gives the proxy its own logins, which can be changed.
      const body = { ...order, generateAuth: "Y" }
      return (yield* client.call({ kind: "money", path: "order/make", body, schema: Made, before })).orderId
    }),
    read: proxies.read,
    ordersSince,
    delivered: Effect.fnUntraced(
      function* (purchase) {
        const row = yield* proxies.row(purchase)
        const body = { ids: row === undefined ? [] : [row.id], comment: purchase.reference }
        yield* client.call({ kind: "write", path: "proxy/comment/set", body, schema: Schema.Unknown })
      },
      (effect, { reference }) =>
        Effect.catch(effect, ({ reason }) =>
          Effect.logWarning(`Cannot set the comment of proxy ${reference} at ${name}: ${reason}`)
        )
    ),
    lock: (purchase, _proxy, login) => setAccess(purchase, { logins: [login], whitelisted_ips: [] })
  }
}

const changes = (
  client: Client.ProxySellerClient,
  proxies: ProxySellerProxies.ProxySellerProxies,
  bought: Buying,
  setAccess: SetProxySellerAccess.SetAccess
) => {
  const prolong = Effect.fnUntraced(function* (purchase: SoldPurchase, extension: ProxyExtension) {
    const section = yield* proxies.sectionOf(purchase)
    const row = yield* proxies.row(purchase)
    if (row === undefined) return yield* refused("the vendor does not have the proxy")
    const goods = section === "ipv6" ? { orderIds: [purchase.vendor_order_id] } : { ids: [row.id] }
    const body = { ...goods, periodId: Article.periodOf(extension), paymentCode: "balance" }
    return yield* client.call({ kind: "money", path: `prolong/make/${section}`, body, schema: Prolonged })
  })

  return {
    extend: Effect.fn("proxy-seller.extend")(function* (id: string, extension: ProxyExtension) {
      const purchase = yield* bought.purchaseOf(id)
      const { total } = yield* prolong(purchase, extension)
      const cost_usd = VendorPrice.fromDollars(total)
      const proxy = yield* bought.extended(purchase, extension)
      return cost_usd === undefined ? proxy : { ...proxy, cost_usd }
    }, asBought(name)),

    setAccess: Effect.fn("proxy-seller.setAccess")(function* (id: string, access: ProxyAccess) {
      const purchase = yield* bought.purchaseOf(id)
      yield* setAccess(purchase, access)
      return yield* bought.proxyOf(purchase)
    }, asChanged(name)),

    setProtocol: Effect.fn("proxy-seller.setProtocol")(function* (id: string, protocol: VendorPurchase["protocol"]) {
      const purchase = yield* bought.purchaseOf(id)
      if ((yield* proxies.sectionOf(purchase)) === "ipv6")
        return yield* refused("the protocol of an IPv6 proxy is fixed when it is ordered")
      return yield* bought.setProtocol(purchase, protocol)
    }, asChanged(name)),

    rotate: Effect.fn("proxy-seller.rotate")(function* (id: string) {
      const purchase = yield* bought.purchaseOf(id)
      const link = (yield* proxies.row(purchase))?.link_reboot
      if (!link) return yield* refused("the vendor gives no link to rotate the proxy")
      yield* client.open(link)
      return yield* bought.proxyOf(purchase)
    }, asChanged(name))
  }
}

export const makeWith = Effect.fnUntraced(function* (settings: Client.Settings) {
  const client = yield* Client.make(settings)
  const proxies = yield* ProxySellerProxies.make(client)
  const setAccess = SetProxySellerAccess.make(client, proxies)
  const bought = (yield* VendorPurchases).from(vendorOf(client, proxies, setAccess, settings))
  const { offers } = yield* ReadProxySellerOffers.make(client, settings)
  const { find, findChange, get, provision, release } = bought
  const provider: ProxyProvider = {
    name,
    find_settles_after: settlesAfter,
    // The vendor's staff delivers mobile proxies by hand, within three hours.
    delivers_within: Duration.hours(4),
    markup: settings.markup_percent * 100,
    signatures: [],
    offers: offers.pipe(asAnswered(name)),
    balance: client.call({ kind: "read", path: "balance/get", schema: Balance }).pipe(
      Effect.map(({ summ }) => summ),
      asAnswered(name)
    ),
    provision,
    find,
    findChange,
    get,
    release,
    ...changes(client, proxies, bought, setAccess)
  }
  return provider
})

/** Proxy-Seller, configured by the variables `PROXY_SELLER_*`. */
export const make = Effect.flatMap(Client.Settings, makeWith)
