import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { dotted, error, failure, success, triple } from "./ProxySellerAnswers.ts"
import { type Answer, type Asked, start as startServer } from "../vendors/VendorServer.ts"

/**
 * The failure of the next call that costs money. A failure that ends in `after` executes the call first; then the
 * connection breaks, no answer comes, or the answer tells nothing.
 */
export type Trouble =
  | "reset_after"
  | "hang_after"
  | "garbage_after"
  | "error_500_after"
  | "reset_before"
  | "no_funds"
  | "warning"
  | "in_progress"
  | "invalid"
  | "too_many"

interface Order {
  order_id: string
  readonly section: string
  country: string
  readonly placed: number
  readonly rotation: number | null
  /** The number of list reads before the proxy appears. */
  hidden: number
  order_number: string
  /** Changes with each prolongation. */
  proxy_id: string
  end: number
  comment: string
  status: string
  /** Fields that the lists show differently for its proxy. */
  said: Record<string, unknown>
}

const day = 86_400_000
const days: Record<string, number> = { "1w": 7, "1m": 30, "3m": 91, "12m": 365 }
const periods = Object.keys(days).map((id) => ({ id, name: id }))
/** Simulates Proxy-Seller's documented API v2, for the key `k3y/with slash`. */
export const start = Effect.fnUntraced(function* (now: () => number = Date.now) {
  const orders: Array<Order> = []
  const auths: Array<{
    id: string
    orderNumber: string
    active: boolean
    login?: string
    password?: string
    ip?: string
  }> = []
  const troubles: Array<Trouble> = []
  const readTroubles: Array<Answer> = []
  const control = {
    hidden: 0,
    denied: false,
    rotations: 0,
    balance: 99 as number | string,
    prices: new Map<string, number>(),
    /** The answer to price calculations. */
    priceError: undefined as { readonly message: string; readonly code: number } | undefined,
    /** The most orders on a page. */
    page: 100
  }
  let count = 0
  const own = randomBytes(5).toString("hex")
  /** Makes an ObjectId, which begins with the time in seconds. */
  const id = () => {
    const seconds = Math.floor(now() / 1000).toString(16)
    return `${seconds.padStart(8, "0")}${own}${(++count).toString(16).padStart(6, "0")}`
  }

  const place = (body: any) => {
    const order_id = id()
    const order: Order = {
      order_id,
      section: body.sectionCode,
      country: body.countryId,
      placed: now(),
      rotation: body.rotationId ?? null,
      hidden: control.hidden,
      order_number: `NS_${count}-no`,
      proxy_id: id(),
      end: now() + days[body.periodId]! * day,
      comment: "",
      status: "ACTIVE",
      said: {}
    }
    orders.push(order)
    auths.push({
      id: id(),
      orderNumber: order.order_number,
      active: true,
      login: `user${orders.length}`,
      password: `pass${orders.length}`
    })
    return success({ orderId: order_id, total: 1, listBaseOrderNumbers: [order.order_number], balance: 99 })
  }

  const prolong = (body: any) => {
    const order = orders.find(
      ({ order_id, proxy_id }) => body.ids?.includes(proxy_id) || body.orderIds?.includes(order_id)
    )
    if (order === undefined) return error("Incorrect orderIds", 29)
    order.end += days[body.periodId]! * day
    order.proxy_id = id()
    order.order_number = `${order.order_number.split("_e_")[0]}_e_${count}`
    return success({ orderId: order.order_id, orderIds: [order.order_id], total: 1, balance: 98 })
  }

  const rowOf = (order: Order, url: string) => {
    const index = orders.indexOf(order) + 1
    const ip = `192.0.2.${index}`
    return {
      id: order.proxy_id,
      order_id: order.order_id,
      order_number: order.order_number,
      basket_id: "66",
      ip: order.section === "ipv6" ? `${ip}:26000` : ip,
      ip_only: ip,
      protocol: "HTTP",
      port_socks: order.section === "ipv6" ? null : 50_101,
      port_http: order.section === "ipv6" ? null : 50_100,
      login: null,
      password: null,
      rotation: order.rotation,
      link_reboot: order.section === "mobile" ? `${url}/api/proxy/reboot?token=t0ken` : null,
      country: "a name",
      country_alpha3: order.country,
      date_end: dotted(order.end),
      status: "Active",
      status_type: order.status,
      comment: order.comment,
      ...order.said
    }
  }

  const money = (work: () => Answer): Answer => {
    switch (troubles.shift()) {
      case undefined:
        return work()
      case "reset_after":
        work()
        return "reset"
      case "hang_after":
        work()
        return "hang"
      case "garbage_after":
        work()
        return { body: "<html>Bad gateway" }
      case "error_500_after":
        work()
        return { status: 500, body: "oops" }
      case "reset_before":
        return "reset"
      case "no_funds":
        return error("Insufficient funds on balance", 16)
      case "warning":
        return failure([], { warning: "Insufficient funds. Total 3.0000. Not enough $7.00", total: 10 })
      case "in_progress":
        return error("Prolong for this order is already in progress", 57)
      case "invalid":
        return error("Incorrect goal", 14)
      case "too_many":
        return { status: 429, headers: { "retry-after": "3" }, body: "slow down" }
    }
  }

  /** The operators of the reference list. */
  const operator = {
    id: "op:1",
    name: "Vodafone",
    rotations: [
      { id: 5, name: "5 minutes" },
      { id: 0, name: "By Link" }
    ]
  }
  const reference = {
    ipv4: {
      country: [
        { id: "USA", name: "United States" },
        { id: "XXX", name: "Nowhere" }
      ],
      period: periods
    },
    isp: { country: [{ id: "DEU", name: "Germany" }], period: periods },
    ipv6: { country: [{ id: "FRA", name: "France" }], period: periods },
    mobile: {
      country: [{ id: "GBR", name: "United Kingdom", operators: { dedicated: [operator], shared: [operator] } }],
      period: periods
    },
    resident: { tarifs: [] }
  }

  const price = (body: any): Answer => {
    if (control.priceError !== undefined) return error(control.priceError.message, control.priceError.code)
    if (body.sectionCode === "ipv6" && body.periodId === "1w") return error("Minimum order is 10", 0)
    const total = control.prices.get(`${body.sectionCode}:${body.periodId}`) ?? days[body.periodId]! / 10
    // A calculation does not need the balance, but the vendor answers an error all the same.
    return failure([], { warning: "Insufficient funds", total, balance: 0, currency: "USD", quantity: 1 })
  }

  const visible = (wanted: string | null) =>
    orders.filter((order) => (wanted === null || order.order_id === wanted) && order.status !== "CLOSED")
  const delivered = (wanted: string | null) => visible(wanted).filter((order) => order.hidden-- <= 0)

  const route = ({ body, method, path, query }: Asked, url: string): Answer => {
    const [, section] = /^(?:proxy\/list|prolong\/make)\/(\w+)$/.exec(path) ?? []
    const orderId = query.get("orderId")
    if (path === "reference/list") return success(reference)
    if (path === "balance/get") return success({ summ: control.balance })
    if (path === "order/calc") return price(body)
    if (path === "order/make") return money(() => place(body))
    if (path.startsWith("prolong/make/")) return money(() => prolong(body))
    if (path === "proxy/list") {
      const rows = delivered(orderId)
      const of = (section: string) =>
        rows.filter((order) => order.section === section).map((order) => rowOf(order, url))
      return success({ ipv4: of("ipv4"), isp: of("isp"), ipv6: of("ipv6"), mobile: of("mobile"), resident: [] })
    }
    if (path.startsWith("proxy/list/"))
      return success({
        items: delivered(orderId)
          .filter((order) => order.section === section)
          .map((order) => rowOf(order, url))
      })
    if (path === "order/list") {
      const [page, size] = [Number(query.get("page")), Math.min(control.page, Number(query.get("limit")))]
      const items = visible(null)
        .toReversed()
        .slice((page - 1) * size, page * size)
        .map(({ order_id, order_number }, index) => ({ id: String(index), order_id, order_number, summ: "$1.00" }))
      return success({ metadata: { total_pages: 1 }, items })
    }
    if (path === "proxy/comment/set") {
      for (const order of orders) if (body.ids.includes(order.proxy_id)) order.comment = body.comment
      return success({ updated: 1 })
    }
    if (path === "auth/list") return success(auths)
    if (path === "auth/add") {
      const made = { id: id(), active: true, login: "random", password: "random", orderNumber: body.orderNumber }
      auths.push(made)
      return success(made)
    }
    if (path === "auth/add/ip") {
      auths.push({ id: id(), active: true, ip: body.ip, orderNumber: body.orderNumber })
      return success(auths.at(-1))
    }
    if (path === "auth/change")
      return success(
        Object.assign(
          auths.find((auth) => auth.id === body.id)!,
          body
        )
      )
    if (path === "auth/delete" && method === "DELETE") {
      auths.splice(
        auths.findIndex((auth) => auth.id === body.id),
        1
      )
      return success("delete")
    }
    return { status: 404, body: "no such path" }
  }

  const root = "/personal/api/v2/"
  const prefix = `${root}k3y%2Fwith%20slash/`
  const server: { readonly url: string; readonly asked: ReadonlyArray<Asked> } = yield* startServer((asked) => {
    if (asked.path === "/api/proxy/reboot") {
      control.rotations++
      return { body: "ok" }
    }
    if (!asked.path.startsWith(prefix) || control.denied) return failure(triple)
    const path = asked.path.slice(prefix.length)
    const isMoney = path === "order/make" || path.startsWith("prolong/make")
    return (isMoney ? undefined : readTroubles.shift()) ?? route({ ...asked, path }, server.url)
  })

  return {
    api_url: `${server.url}${root.replace(/\/$/, "")}`,
    asked: server.asked,
    orders,
    auths,
    control,
    trouble: (...next: ReadonlyArray<Trouble>) => void troubles.push(...next),
    /** The answers to the next free calls. */
    readTrouble: (...next: ReadonlyArray<Answer>) => void readTroubles.push(...next)
  }
})
