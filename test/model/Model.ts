import { DateTime } from "effect"
import type { Answer, Entry, Kept, Order, Payment } from "./Account.ts"
import type { Command, ExtendCommand, OrderCommand, ReversalCommand } from "./Command.ts"
import { Payouts } from "./Payouts.ts"
import { Prices, sold } from "./Prices.ts"
import { Reversals } from "./Reversals.ts"
import { TopUps } from "./TopUps.ts"

const hour = 3_600_000
const day = 24 * hour

const percentOff = 20
const usesOfCode = 2
const openPayments = 20
const keptUnpaid = 30 * day

const conflict = (reason: string): Answer => ({ status: 409, reason })
const badRequest: Answer = { status: 400, reason: "BAD_REQUEST" }
const stopped: Answer = { status: 403, reason: "purchases_stopped" }
const suspended: Answer = { status: 403, reason: "account_suspended" }
const invalid: Answer = { status: 422, reason: "VALIDATION_ERROR" }

/** The time from the creation of a payment, or from one look at its gateway, to the next. */
const lookEvery = hour / 6

const monthsLater = (time: number, months: number) =>
  DateTime.toEpochMillis(DateTime.add(DateTime.makeUnsafe(time), { months }))

const expiringAt = ({ expires_at, started_at }: Order) =>
  expires_at - Math.min(72 * hour, 0.2 * (expires_at - started_at))

/** The documented behaviour for one customer of the service. Amounts in cents, times in milliseconds. */
export class Model {
  now: number
  readonly entries: Array<Entry> = []
  readonly payments: Array<Payment> = []
  readonly orders: Array<Order> = []
  readonly keys = new Map<string, Kept>()
  readonly reversals = new Reversals()
  readonly prices = new Prices()
  /** The restriction of the account, until the operator lifts it. */
  restriction: "hold" | "suspend" | undefined
  #isBanned = false
  readonly topUps = new TopUps(this)
  readonly payouts = new Payouts(this)

  constructor(now: number) {
    this.now = now
  }

  get balance() {
    return this.entries.filter(({ status }) => status === "completed").reduce((sum, { cents }) => sum + cents, 0)
  }

  /** True while a restriction keeps the customer from spending. */
  get isRestricted() {
    return this.restriction !== undefined || this.#isBanned
  }

  get isStopped() {
    return this.reversals.isStopped || this.isRestricted
  }

  get isSuspended() {
    return this.restriction === "suspend" || this.#isBanned
  }

  get counts() {
    const count = (status: string) => this.orders.filter(({ proxy_status }) => proxy_status === status).length
    return {
      active: count("active"),
      expiring: count("expiring"),
      expired: count("expired"),
      total: this.orders.length
    }
  }

  isLive({ expires_at, proxy_status }: Order) {
    return ["active", "expiring"].includes(proxy_status) && expires_at > this.now
  }

  deposit({ cents }: Extract<Command, { do: "deposit" }>): Answer {
    return this.ask(cents, [])
  }

  order(command: OrderCommand): Answer {
    const { key, provider: _, do: operation, ...request } = command
    return this.once(operation, key, JSON.stringify(request), () => this.place(command))
  }

  extend({ key, months, provider }: ExtendCommand, order: Order): Answer {
    const isMobile = order.offer === "mobile"
    if (isMobile && key === null) return invalid
    return this.once("extend", key, `${order.id} ${isMobile || months}`, () => {
      if (!this.isLive(order)) return badRequest
      const cents = this.prices.ofExtension(order.offer, months)
      if (this.isStopped) return stopped
      if (cents > this.balance) return conflict("insufficient_balance")
      this.book("payment", -cents)
      if (provider === "answers") this.prolong(order, months, cents)
      else this.book("refund", cents)
      return provider === "answers" ? { status: 200 } : conflict("provider_refused")
    })
  }

  cancel({ id }: Order): Answer {
    const payment = this.payments.find(({ orders, status }) => status === "pending" && orders.some((_) => _.id === id))
    if (payment === undefined) return badRequest
    this.end(payment)
    return { status: 200 }
  }

  autoRenew(order: Order, enabled: boolean): Answer {
    if (!this.isLive(order)) return badRequest
    order.auto_renew = enabled
    order.renew_at = this.now
    return { status: 200 }
  }

  tag(order: Order): Answer {
    return this.isLive(order) ? { status: 200 } : badRequest
  }

  release(order: Order): Answer {
    if (!this.isLive(order)) return badRequest
    if (this.isSuspended) return suspended
    Object.assign(order, { status: "cancelled", proxy_status: "cancelled", auto_renew: false })
    return { status: 200 }
  }

  /** Staff returns a part of an order: the refusal, or undefined when it was returned. */
  refund(order: Order, cents: number): "NotDelivered" | "NothingToReturn" | "MoreThanLeft" | undefined {
    const left = order.paid - order.returned
    if (order.started_at === 0) return "NotDelivered"
    if (left === 0) return "NothingToReturn"
    if (cents > left) return "MoreThanLeft"
    order.returned += cents
    this.book("refund", cents)
    return undefined
  }

  credit(cents: number) {
    this.book("deposit", cents)
  }

  /** A payment arrives, as asked for or with another amount. A charge counts once. */
  pay(payment: Payment, charge: string, cents: number) {
    if (this.charges.has(charge)) return
    this.charges.set(charge, cents)
    const mayBuy = payment.orders.length === 0 || !this.isStopped
    const isDue = payment.status === "pending" && cents >= payment.cents && mayBuy
    if (isDue && (cents === payment.cents || payment.orders.length > 0)) {
      const isAsAsked = cents === payment.cents
      payment.status = isAsAsked ? "paid" : "ended"
      payment.entry.status = isAsAsked ? "completed" : "failed"
      if (!isAsAsked) this.book("deposit", cents)
      for (const order of payment.orders) {
        this.book("payment", -order.cents)
        order.status = "paid"
      }
      return
    }
    this.end(payment)
    this.book("deposit", cents)
  }

  end(payment: Payment) {
    if (payment.status !== "pending") return
    payment.status = "ended"
    payment.entry.status = "failed"
    for (const order of payment.orders)
      Object.assign(order, { status: "cancelled", proxy_status: "cancelled", use: null, is_abandoned: true })
  }

  /** A gateway reverses a charge, or returns the money. */
  reverse(command: ReversalCommand, charge: string) {
    const whole = this.charges.get(charge)
    const takes = whole !== undefined && command.status === "taken" && this.reversals.isNews(command, charge)
    if (takes && this.balance < this.reversals.claim(command, charge, whole)) this.payouts.takeBack()
    const cents = whole === undefined ? 0 : this.reversals.report(command, { charge, whole, balance: this.balance })
    if (cents !== 0) this.book(cents < 0 ? "withdrawal" : "deposit", cents)
  }

  /** The operator holds or suspends the account. A suspension ends what waits for a payment. */
  restrict(preset: "hold" | "suspend") {
    this.restriction = preset
    if (preset === "suspend") for (const payment of this.payments) if (payment.orders.length > 0) this.end(payment)
  }

  /** The operator bans the account for a time, in which every job runs. A ban of a week ends its proxies. */
  ban(hours: number) {
    this.#isBanned = true
    for (const payment of this.payments) this.end(payment)
    this.wait(hours)
    if (hours >= 7 * 24)
      for (const order of this.orders.filter((order) => this.isLive(order)))
        Object.assign(order, { status: "cancelled", proxy_status: "cancelled", auto_renew: false })
    this.topUps.round()
    this.#isBanned = false
  }

  /** Time passes and every job runs. Answers the proxies that are due for renewal. */
  wait(hours: number): ReadonlyArray<Order> {
    this.now += hours * hour
    for (const payment of this.payments) {
      if (payment.look_at > this.now) continue
      payment.look_at = this.now + lookEvery
      if (payment.expires_at > this.now) payment.look_at = Math.min(payment.look_at, payment.expires_at)
      // The service no longer asks a gateway about a payment that was paid as asked.
      if (payment.isUnreported && payment.status !== "paid") this.pay(payment, `charge_${payment.id}`, payment.cents)
      payment.isUnreported = false
      if (payment.expires_at <= this.now) this.end(payment)
    }
    const isForgotten = ({ created_at, is_abandoned }: Order) => is_abandoned && created_at < this.now - keptUnpaid
    this.orders.splice(0, this.orders.length, ...this.orders.filter((order) => !isForgotten(order)))
    for (const order of this.orders) {
      if (order.status === "paid") {
        if (this.isSuspended) this.undo(order)
        else this.provision(order)
      }
      if (order.proxy_status === "active" && expiringAt(order) <= this.now)
        Object.assign(order, { proxy_status: "expiring", renew_at: this.now })
      if (order.proxy_status === "expiring" && order.expires_at <= this.now)
        Object.assign(order, { status: "expired", proxy_status: "expired" })
    }
    return this.orders.filter(
      ({ auto_renew, proxy_status, renew_at }) => auto_renew && proxy_status === "expiring" && renew_at <= this.now
    )
  }

  /** One of them was renewed, because the wallet could pay. */
  renew(order: Order) {
    const cents = this.prices.of(order.offer)
    this.book("payment", -cents)
    this.prolong(order, 1, cents)
  }

  /** Another was not renewed; it is tried again in an hour. */
  putOff(order: Order) {
    order.renew_at = this.now + hour
  }

  private readonly charges = new Map<string, number>()

  book(type: Entry["type"], cents: number, status: Entry["status"] = "completed"): Entry {
    const entry: Entry = { type, cents, status }
    this.entries.push(entry)
    return entry
  }

  /** The first request with a key counts for 24 hours, unless it fails. */
  private once(operation: string, key: string | null, request: string, perform: () => Answer): Answer {
    if (key === null) return perform()
    const scope = `${operation} ${key}`
    const kept = this.keys.get(scope)
    if (kept !== undefined && kept.expires_at > this.now)
      return kept.request === request
        ? { status: operation === "order" ? 201 : 200, repeats: kept }
        : conflict("idempotency_key_reused")
    this.keys.delete(scope)
    const answer = perform()
    if (answer.status < 300) this.keys.set(scope, { request, expires_at: this.now + day })
    return answer
  }

  private place({ method, offer, promo, provider, quantity }: OrderCommand): Answer {
    if (offer === "residential") return conflict("out_of_stock")
    if (promo && this.uses >= usesOfCode) return invalid
    const full = this.prices.ofOrder(offer, this.now)
    const cents = promo ? (full * (100 - percentOff)) / 100 : full
    const use = promo ? {} : null
    const orders = Array.from({ length: quantity }, (): Order => ({
      id: "",
      offer,
      cents,
      paid: 0,
      returned: 0,
      use,
      created_at: this.now,
      status: method === "wallet" ? "paid" : "waiting_payment",
      proxy_status: "pending",
      auto_renew: false,
      is_abandoned: false,
      started_at: 0,
      given: [],
      expires_at: 0,
      renew_at: 0,
      last: full,
      announced: undefined
    }))
    if (method === "card_gateway") {
      const answer = this.ask(cents * quantity, orders)
      if (answer.status === 201) this.orders.push(...orders)
      return answer
    }
    if (this.isStopped) return stopped
    if (cents * quantity > this.balance) return conflict("insufficient_balance")
    this.orders.push(...orders)
    for (const order of orders) {
      this.book("payment", -cents)
      if (provider === "answers") this.provision(order)
      if (provider === "refuses") this.undo(order)
    }
    return { status: 201, orders }
  }

  /** The number of counted uses of the promo code: a use counts while one of its orders is left. */
  private get uses() {
    return new Set(this.orders.flatMap(({ use }) => use ?? [])).size
  }

  private ask(cents: number, orders: ReadonlyArray<Order>): Answer {
    if (orders.length > 0 && this.isStopped) return stopped
    const open = this.payments.filter(({ status }) => status === "pending").length
    if (open + (this.topUps.pending === undefined ? 0 : 1) >= openPayments) return conflict("too_many_open_payments")
    const entry = this.book("deposit", cents, "pending")
    const expires_at = this.now + hour
    const look_at = this.now + lookEvery
    const payment: Payment = {
      id: "",
      cents,
      entry,
      orders,
      expires_at,
      look_at,
      status: "pending",
      isUnreported: false
    }
    this.payments.push(payment)
    return { status: 201, orders, payment }
  }

  private undo(order: Order) {
    this.book("refund", order.cents)
    Object.assign(order, { status: "refunded", proxy_status: "cancelled", use: null })
  }

  private provision(order: Order) {
    const expires_at = this.now + sold[order.offer][1] * day
    const paid = order.cents
    Object.assign(order, { status: "provisioned", proxy_status: "active", started_at: this.now, expires_at, paid })
  }

  private prolong(order: Order, months: number, cents: number) {
    order.paid += cents
    order.last = order.offer === "mobile" ? cents : cents / months
    if (order.offer === "mobile") Object.assign(order, { started_at: this.now, expires_at: this.now })
    this.lengthen(order, months)
  }

  /** A proxy runs longer: a mobile one for a day. */
  lengthen(order: Order, months: number) {
    order.announced = undefined
    order.expires_at = order.offer === "mobile" ? order.expires_at + day : monthsLater(order.expires_at, months)
    if (expiringAt(order) > this.now) order.proxy_status = "active"
  }
}
