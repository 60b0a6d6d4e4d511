import { Effect } from "effect"
import { randomInt } from "node:crypto"
import { type Answer, type Asked, start as startServer } from "../vendors/VendorServer.ts"

/** The failure of the next call that costs money. A failure that ends in `after` executes the call first. */
export type Trouble =
  | "reset_after"
  | "hang_after"
  | "garbage_after"
  | "error_500_after"
  | "conflict_after"
  | "reset_before"
  | "no_funds"
  | "out_of_stock"
  | "too_many"

interface Order {
  readonly id: number
  readonly product: number
  readonly location: number
  plan_name: string
  /** The number of reads before the delivery. */
  hidden: number
  status: string
  end: number
  username: string
  password: string
}

const day = 86_400_000
const planDays: Record<number, number> = { 30: 30, 90: 90, 24: 1 }
const plans = [
  { id: 24, name: "1 Day", price: 1.8, min_quantity: 1, max_quantity: 1000 },
  { id: 30, name: "30 Days", price: 2.7, min_quantity: 1, max_quantity: 1000 },
  { id: 90, name: "90 Days", price: 7.29, min_quantity: 1, max_quantity: 1000 },
  { id: 10, name: "10 GB", price: 50, min_quantity: 1, max_quantity: 1000 },
  { id: 60, name: "60 Days", price: 4, min_quantity: 5, max_quantity: 1000 }
]
const place = (id: number, name: string, out_of_stock = false) => ({ id, name, out_of_stock })
const locations = [
  { ...place(1, "United States"), child_locations: [place(11, "New York"), place(12, "Chicago", true)] },
  { ...place(2, "Germany", true), child_locations: [] },
  { ...place(3, "Mixed"), child_locations: [] }
]
const product = (id: number, name: string, is_required = false) => ({
  id,
  name,
  plans,
  locations,
  questions: [{ id: 1, text: "Extra requirements", is_required }],
  quantity_discounts: []
})
const products = [
  product(3, "Static Residential"),
  product(4, "Datacenter"),
  product(5, "4G Mobile"),
  product(6, "Sneaker DC", true)
]

const message = (status: number, message: string): Answer => ({ status, body: { message } })
const time = (millis: number) => new Date(millis).toISOString().slice(0, 19).replace("T", " ")

/** Simulates IPRoyal's documented reseller API, for the token `t0ken`, with late deliveries. */
export const start = Effect.fnUntraced(function* (now: () => number = Date.now) {
  const orders: Array<Order> = []
  const troubles: Array<Trouble> = []
  const control = { hidden: 1, balance: 884.05 }
  const first = randomInt(1_000_000_000)

  const buy = (body: any): Answer => {
    const plan = plans.find(({ id }) => id === body.product_plan_id)!
    const order = {
      id: first + orders.length + 1,
      product: body.product_id,
      location: body.product_location_id,
      plan_name: plan.name,
      hidden: control.hidden,
      status: "in-progress",
      end: now() + planDays[plan.id]! * day,
      username: `user${orders.length + 1}`,
      password: `pass${orders.length + 1}`
    }
    orders.push(order)
    return { body: rowOf(order) }
  }

  const rowOf = (order: Order) => {
    if (order.hidden-- <= 0 && order.status === "in-progress") order.status = "confirmed"
    const isDelivered = order.status !== "in-progress"
    const { password, username } = order
    const ip = `192.0.2.${orders.indexOf(order) + 1}`
    return {
      id: order.id,
      note: null,
      product_name: products.find(({ id }) => id === order.product)?.name,
      plan_name: order.plan_name,
      expire_date: isDelivered ? time(order.end) : null,
      status: order.status,
      location: "a name",
      quantity: 1,
      questions_answers: [],
      proxy_data: {
        ports: { socks5: 12_324, "http|https": 12_323 },
        proxies: isDelivered ? [{ username, password, ip }] : []
      },
      auto_extend_settings: null,
      extended_history: []
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
        return { status: 201, body: "<html>" }
      case "error_500_after":
        work()
        return message(500, "Server Error")
      case "conflict_after":
        work()
        return message(409, "Conflict")
      case "reset_before":
        return "reset"
      case "no_funds":
        return message(400, "Insufficient balance.")
      case "out_of_stock":
        return message(422, "The selected location is out of stock.")
      case "too_many":
        return { status: 429, body: { message: "Too Many Attempts." } }
    }
  }

  const extend = (order: Order, plan: number): Answer => {
    order.end += planDays[plan]! * day
    return { body: rowOf(order) }
  }

  const list = (query: URLSearchParams) => {
    const wanted = (name: string, value: number) => !query.has(name) || query.get(name) === String(value)
    const found = orders
      .filter((order) => wanted("product_id", order.product) && wanted("location_id", order.location))
      .toReversed()
    const [page, size] = [Number(query.get("page")), Number(query.get("per_page"))]
    const data = found.slice((page - 1) * size, page * size).map(rowOf)
    return { body: { data, meta: { current_page: page, total: found.length } } }
  }

  const server = yield* startServer(({ body, headers, method, path, query }: Asked): Answer => {
    if (headers["x-access-token"] !== "t0ken") return message(401, "Unauthenticated.")
    const [, id, isExtension] = /^\/v1\/reseller\/orders\/(\d+)(\/extend)?$/.exec(path) ?? []
    const order = orders.find((order) => String(order.id) === id)
    if (path === "/v1/reseller/balance") return { body: control.balance }
    if (path === "/v1/reseller/products") return { body: { data: products } }
    if (path === "/v1/reseller/orders") return method === "POST" ? money(() => buy(body)) : list(query)
    if (path === "/v1/reseller/orders/proxies/change-credentials") {
      Object.assign(
        orders.find(({ id }) => id === body.order_id)!,
        { username: body.username, password: body.password }
      )
      return { body: {} }
    }
    if (order === undefined) return message(404, "Order not found.")
    return isExtension === undefined ? { body: rowOf(order) } : money(() => extend(order, body.product_plan_id))
  })

  return {
    api_url: `${server.url}/v1/reseller`,
    asked: server.asked,
    orders,
    control,
    trouble: (...next: ReadonlyArray<Trouble>) => void troubles.push(...next)
  }
})
