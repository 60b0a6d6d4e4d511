import { assert } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { ApiKeys } from "../../src/accounts/api-keys/ApiKeys.ts"
import { Sessions } from "../../src/accounts/sessions/Sessions.ts"
import { Users } from "../../src/accounts/users/Users.ts"
import { OrderId } from "../../src/orders/Order.ts"
import { OrderRefundId } from "../../src/orders/refunds/OrderRefund.ts"
import { OrderRefunds } from "../../src/orders/refunds/OrderRefunds.ts"
import { AdjustmentId } from "../../src/wallet/adjustments/Adjustment.ts"
import { Adjustments } from "../../src/wallet/adjustments/Adjustments.ts"
import { PaymentReversals } from "../../src/wallet/payments/PaymentReversals.ts"
import { newUser } from "../support/Fixtures.ts"
import { scaled, sell } from "../support/Repricing.ts"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { request } from "../support/TestServer.ts"
import type { Command, ExtendCommand, OrderCommand, ReversalCommand } from "./Command.ts"
import * as CardHolder from "./CardHolder.ts"
import { jobs } from "./Jobs.ts"
import { Model } from "./Model.ts"
import { during } from "./Mood.ts"
import * as Worked from "./Worked.ts"
import * as Restricted from "./Restricted.ts"
import * as Withdrawing from "./Withdrawing.ts"

type Payment = Model["payments"][number]
type Order = Model["orders"][number]

/** The world of the commands: the ids of the offers by name, and a promo code. */
export interface Shop {
  readonly offers: Readonly<Record<OrderCommand["offer"], number>>
  readonly code: string
}

const micros = (cents: number) => BigInt(cents) * 10_000n
const cents = (usd: number) => Math.round(usd * 100)

const keyed = (name: string | null) => (name === null ? {} : { "idempotency-key": name })

/** Sells everything at this percentage of its first price; `residential` is out of stock. */
export const price = (percent: number) =>
  sell((offer) => ({ ...scaled(offer, percent), ...(offer.kind === "residential" && { is_available: false }) }))

/** A new customer, a model of them, and the effect of the commands on both. */
export const make = Effect.fnUntraced(function* ({ code, offers }: Shop) {
  const gateways = yield* MemoryPaymentGateways
  const user_id = yield* newUser
  // Only an account with a verified email withdraws money.
  yield* SqlClient.SqlClient.use((sql) => sql`UPDATE user_account SET email_verified = true WHERE id = ${user_id}`)
  const { key } = yield* ApiKeys.use((keys) => keys.create(user_id, { name: "key" }))
  const user = yield* Users.use((users) => users.get(user_id))
  const model = new Model(yield* Clock.currentTimeMillis)
  yield* price(100)

  const keyedRequests: Array<
    | { readonly command: OrderCommand; readonly proxy?: undefined }
    | { readonly command: ExtendCommand; readonly proxy: Order }
  > = []

  const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    request("POST", `/v1${path}`, { key, headers, ...(body !== undefined && { body }) })

  type Predicted = ReturnType<Model["deposit"]>
  type Answer = Effect.Success<ReturnType<typeof post>>

  /**
   * Checks that the answer is as predicted. Created orders and payments get their names, and a key keeps the answer.
   */
  const agree = ({ repeats, ...predicted }: Predicted, answer: Answer, kept?: string) => {
    const { body, headers, status } = answer
    const reason = status < 300 ? undefined : (body.details?.reason ?? body.code)
    assert.deepStrictEqual([status, reason], [predicted.status, predicted.reason])
    assert.strictEqual(headers["idempotency-replayed"], repeats && "true")
    if (repeats !== undefined) assert.deepStrictEqual(body, repeats.answer, "the answer of the first request")
    for (const [index, order] of (predicted.orders ?? []).entries()) {
      order.id = body[index].id
      assert.strictEqual(body[index].status, order.status)
    }
    if (predicted.payment !== undefined)
      predicted.payment.id = body.payment_intent_id ?? body[0].payment_info.payment_intent_id
    const use = kept === undefined ? undefined : model.keys.get(kept)
    if (use !== undefined && repeats === undefined && status < 300) use.answer = body
  }

  const card = yield* CardHolder.make(user, model.topUps, agree)

  const order = Effect.fnUntraced(function* (command: OrderCommand) {
    if (command.key !== null) keyedRequests.push({ command })
    const { method, offer, promo, provider, quantity } = command
    const body = {
      offer_id: offers[offer],
      payment_method: method,
      quantity,
      ...(offer === "mobile" && { tarification_index: 0 }),
      ...(promo && { promo_code: code })
    }
    agree(
      model.order(command),
      yield* during(provider, post("/orders", body, keyed(command.key))),
      `order ${command.key}`
    )
  })

  const quote = Effect.fnUntraced(function* (offer: "datacenter" | "mobile") {
    const tariff = offer === "mobile" && { tarification_index: 0 }
    const { body, status } = yield* post("/orders/quote", {
      offer_id: offers[offer],
      payment_method: "wallet",
      ...tariff
    })
    assert.deepStrictEqual([status, cents(body.total)], [200, model.prices.quote(offer, model.now)])
  })

  const extend = Effect.fnUntraced(function* (command: ExtendCommand, order: Order) {
    if (command.key !== null) keyedRequests.push({ command, proxy: order })
    const body = order.offer === "mobile" ? { tarification_index: 0 } : { months: command.months }
    agree(
      model.extend(command, order),
      yield* during(command.provider, post(`/orders/${order.id}/extend`, body, keyed(command.key))),
      `extend ${command.key}`
    )
  })

  const deposit = Effect.fnUntraced(function* (command: Extract<Command, { do: "deposit" }>) {
    const { access_token } = yield* Sessions.use((sessions) => sessions.start(user))
    const body = { amount: command.cents / 100, currency: "USD", payment_method: "card_gateway" }
    agree(model.deposit(command), yield* request("POST", "/v1/payments/deposits", { user: access_token, body }))
  })

  const call = Effect.fnUntraced(function* (reported: ReturnType<typeof gateways.pay>) {
    const body = new TextDecoder().decode(reported.body)
    const path = `/v1/payments/callbacks/${reported.payment_method}`
    assert.strictEqual((yield* request("POST", path, { headers: reported.headers, body })).status, 200)
  })

  const pay = Effect.fnUntraced(function* (payment: Payment, how: Extract<Command, { do: "pay" }>["how"]) {
    if (how === "unreported") {
      if (payment.status !== "pending") return
      payment.isUnreported = true
      return gateways.payUnreported(payment.id)
    }
    const more = how === "too much" ? 50 : how === "too little" ? -50 : 0
    const charge_id = how === "again" ? `again_${payment.id}` : `charge_${payment.id}`
    model.pay(payment, charge_id, payment.cents + more)
    yield* call(gateways.pay(payment.id, { charge_id, amount: micros(payment.cents + more) }))
  })

  const reverse = Effect.fnUntraced(function* (payment: Payment, command: ReversalCommand) {
    const { cents, kind, status, which } = command
    const charge_id = `charge_${payment.id}`
    model.reverse(command, charge_id)
    const amount = cents === null ? null : micros(cents)
    yield* call(
      gateways.reverse(payment.id, { charge_id, reversal_id: `${which}_${payment.id}`, kind, status, amount })
    )
  })

  const lift = Effect.gen(function* () {
    model.reversals.lift()
    yield* PaymentReversals.use((reversals) => reversals.lift(user_id))
  }).pipe(Effect.provide(PaymentReversals.layer))

  const owner = { id: "ada", name: "Ada", role: "owner" } as const
  const reasons = { reason_code: "none", reason: "The model", customer_text: null }

  const refund = Effect.fnUntraced(
    function* (order: Order, amount: number) {
      const refunds = yield* OrderRefunds
      const asked = { kind: "amount", destination: "wallet", ends_service: false, ...reasons } as const
      const ids = { id: OrderRefundId.make(randomUUID()), order_id: OrderId.make(order.id) }
      const made = yield* Effect.result(refunds.create(owner, { ...ids, ...asked, amount: micros(amount) }))
      assert.strictEqual(Result.isFailure(made) ? made.failure._tag : undefined, model.refund(order, amount))
    },
    (effect) => Effect.provide(effect, OrderRefunds.layer)
  )

  const credit = Effect.fnUntraced(
    function* (amount: number) {
      model.credit(amount)
      const given = { user_id, currency: "USD", cause: "goodwill", order_id: null, ...reasons } as const
      const id = AdjustmentId.make(randomUUID())
      yield* Adjustments.use((adjustments) => adjustments.create(owner, { id, ...given, amount: micros(amount) }))
    },
    (effect) => Effect.provide(effect, Adjustments.layer)
  )

  const wait = Effect.fnUntraced(function* (hours: number) {
    yield* TestClock.adjust(`${hours} hours`)
    yield* jobs
    const { orders } = yield* shown
    const hasRenewed = ({ expires_at, id }: Order) => orders.some((_) => _.id === id && _.expires_at !== expires_at)
    const all = model.wait(hours)
    if (model.isRestricted) {
      assert.isEmpty(all.filter(hasRenewed), "a renewal of a restricted account")
      return model.topUps.round()
    }
    const due = all.filter((each) => {
      const isAnnounced = model.prices.announces(each, model.now)
      assert.isFalse(isAnnounced && hasRenewed(each), "a renewal before its announcement")
      return !isAnnounced
    })
    // The wallet may not pay for all renewals, and their order is not defined.
    if (model.reversals.isStopped) assert.isEmpty(due.filter(hasRenewed), "a renewal of an account that is stopped")
    for (const each of due.filter(hasRenewed)) model.renew(each)
    const left = due.filter((each) => !hasRenewed(each) && each.proxy_status === "expiring")
    for (const each of left) {
      if (!model.reversals.isStopped)
        assert.isAbove(model.prices.of(each.offer), model.balance, "a renewal that the wallet could pay for")
      model.putOff(each)
    }
    model.topUps.round()
  })

  const get = (path: string) => Effect.map(request("GET", `/v1${path}`, { key }), ({ body }) => body)

  /** The state that the API shows, in the form of the model. */
  const shown = Effect.gen(function* () {
    const [wallet, { transactions }, { orders, total }, counts, top_up] = yield* Effect.all(
      [
        get("/wallet/balance?currency=USD"),
        get("/wallet/transactions?limit=1000"),
        get("/orders?limit=100"),
        get("/orders/counts"),
        card.shown
      ],
      { concurrency: "unbounded" }
    )
    return {
      balance: cents(wallet.balance),
      entries: transactions
        .map(({ amount, status, transaction_type }: any) => `${transaction_type} ${cents(amount)} ${status}`)
        .toSorted(),
      orders: orders.map((each: any) => ({
        id: each.id,
        status: each.status,
        proxy_status: each.proxy_status,
        cents: cents(each.total_usd),
        auto_renew: each.auto_renew,
        expires_at: each.expires_at === null ? 0 : Date.parse(each.expires_at)
      })) as ReadonlyArray<Pick<Order, "id" | "status" | "proxy_status" | "cents" | "auto_renew" | "expires_at">>,
      total,
      counts,
      top_up
    }
  })

  /** The same from the model: orders newest first, ties by id. */
  const expected = () => ({
    balance: model.balance,
    entries: model.entries.map(({ cents, status, type }) => `${type} ${cents} ${status}`).toSorted(),
    orders: model.orders
      .toSorted((one, other) => other.created_at - one.created_at || (other.id < one.id ? -1 : 1))
      .slice(0, 100)
      .map(({ auto_renew, cents, expires_at, id, proxy_status, status }) => ({
        id,
        status,
        proxy_status,
        cents,
        auto_renew,
        expires_at
      })),
    total: model.orders.length,
    counts: model.counts,
    top_up: { settings: model.topUps.shown, notices: model.topUps.notices }
  })

  const announcements = SqlClient.SqlClient.use(
    (sql) => sql`SELECT id FROM notification WHERE user_id = ${user_id} AND kind = 'renewal_price'`
  )

  /** Repeats an earlier request with a key, word for word. */
  const repeat = Effect.fnUntraced(function* (back: number) {
    const asked = keyedRequests.at(-1 - back)
    // A job removes orders that were never paid.
    if (asked === undefined || (asked.proxy !== undefined && !model.orders.includes(asked.proxy))) return
    return yield* asked.proxy === undefined ? order(asked.command) : extend(asked.command, asked.proxy)
  })

  return {
    model,
    keyedRequests,
    repeat,
    user_id,
    post,
    agree,
    order,
    quote,
    extend,
    deposit,
    call,
    card,
    pay,
    reverse,
    lift,
    ...Restricted.make(model, user_id, key),
    ...Withdrawing.make(model, user_id),
    work: Worked.make(model),
    refund,
    credit,
    wait,
    shown,
    expected,
    announcements
  }
})

export type Customer = Effect.Success<ReturnType<typeof make>>

/** Checks the books behind the API: every balance is the sum of its ledger, and only the right orders have a proxy. */
export const audit = Effect.fnUntraced(function* ({ model, user_id }: Customer) {
  const sql = yield* SqlClient.SqlClient
  const wallets = yield* sql<{ balance: string; booked: string }>`
    SELECT w.balance::text, coalesce(sum(t.amount) FILTER (WHERE t.status = 'completed'), 0)::text AS booked
    FROM wallet w LEFT JOIN wallet_transaction t ON t.wallet_id = w.id WHERE w.user_id = ${user_id} GROUP BY w.id
  `
  for (const { balance, booked } of wallets) assert.strictEqual(balance, booked)
  const { leases } = yield* MemoryProvider
  for (const { id, started_at } of model.orders)
    assert.strictEqual(leases.has(id), started_at > 0, "the provider's lease")
})
