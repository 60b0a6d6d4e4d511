import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { Recorded } from "../../wallet/adjustments/Adjustments.ts"
import * as Decide from "../../wallet/adjustments/Decide.ts"
import type { MoneyActor } from "../../wallet/adjustments/MoneyActor.ts"
import { KeyReused, MoneyRecordNotFound } from "../../wallet/adjustments/MoneyErrors.ts"
import { StaffLimits } from "../../wallet/adjustments/StaffLimits.ts"
import { PromoCodes } from "../../wallet/promo-codes/PromoCodes.ts"
import type { GatewayCannotRefund, MoreThanPaid } from "../../wallet/refunds/GatewayRefundErrors.ts"
import { GatewayRefunds } from "../../wallet/refunds/GatewayRefunds.ts"
import { Returns } from "../../wallet/Returns.ts"
import { Wallets } from "../../wallet/Wallets.ts"
import type { Order, OrderId } from "../Order.ts"
import { isLive } from "../OrderStatus.ts"
import { LiveProxies } from "../proxies/LiveProxies.ts"
import * as AgreeRefund from "./AgreeRefund.ts"
import * as AskUsage from "./AskUsage.ts"
import * as BookOrderRefund from "./BookOrderRefund.ts"
import * as FinishRefund from "./FinishRefund.ts"
import type { OrderRefund, OrderRefundId, RefundFilter, RefundRequest, Usage } from "./OrderRefund.ts"
import { OrderBusy } from "./OrderRefundErrors.ts"
import { OrderRefundsRepo } from "./OrderRefundsRepo.ts"
import * as PreviewRefund from "./PreviewRefund.ts"

/** The process that booked a refund has this time to end the proxy, before the job does. */
const lease = { seconds: 30 }

export type RefundRefused = AgreeRefund.NotAgreed | KeyReused | GatewayCannotRefund | MoreThanPaid

const compared = ["order_id", "kind", "destination", "reason_code", "reason", "customer_text"] as const

/** An amount that was left out, or shown a moment ago, is the one on record. */
const isSame = (request: RefundRequest, known: OrderRefund) =>
  compared.every((field) => request[field] === known[field]) &&
  (request.currency ?? known.currency) === known.currency &&
  (request.ends_service || request.kind === "whole") === known.ends_service &&
  (request.kind === "amount" ? request.amount === known.amount : true)

/** The time of the first try to end the proxy of a booked refund; null: the order has no running proxy, or keeps it. */
const releaseOf = ({ ends_service }: Pick<OrderRefund, "ends_service">, { proxy_status }: Order, now: DateTime.Utc) =>
  ends_service && isLive(proxy_status) ? DateTime.add(now, lease) : null

const isSameMoment = (one: DateTime.Utc | null, other: DateTime.Utc | null) =>
  one?.epochMilliseconds === other?.epochMilliseconds

const makeCreate = Effect.gen(function* () {
  const atomically = yield* Atomically
  const book = yield* BookOrderRefund.make
  const limits = yield* StaffLimits
  const askUsage = yield* AskUsage.make
  const promoCodes = yield* PromoCodes
  const repo = yield* OrderRefundsRepo
  const wallets = yield* Wallets
  const { agree } = yield* AgreeRefund.make

  const locked = Effect.fnUntraced(function* (id: OrderId) {
    const order = Option.getOrUndefined(yield* repo.lockOrder(id))
    return order ?? (yield* new MoneyRecordNotFound({ detail: "There is no such order" }))
  })

  /** Lets the customer use the promo code of an undone order again. */
  const releaseCode = ({ kind }: Pick<OrderRefund, "kind">, order: Order) =>
    kind === "whole" && order.promo_code_id !== null ? promoCodes.release([order.id]) : Effect.void

  const refunded = Effect.fnUntraced(function* (
    actor: MoneyActor,
    request: RefundRequest,
    { cycle_started_at, used_gb }: Usage
  ): Effect.fn.Return<Recorded<OrderRefund>, RefundRefused> {
    const { amount: _, currency: __, usage: ___, ...given } = request
    const order = yield* locked(request.order_id)
    // A new cycle of traffic began after the provider was asked.
    if (!isSameMoment(order.cycle_started_at, cycle_started_at)) return yield* new OrderBusy({ details: {} })
    const ends_service = request.kind === "whole" || request.ends_service
    const now = yield* DateTime.now
    const { parts, ...agreed } = yield* agree(order, { ...request, ends_service, at: now, used_gb, is_shown: true })
    const { amount, currency } = agreed
    const { user_id } = order
    const action = request.destination === "wallet" ? "refund_wallet" : "refund_gateway"
    yield* limits.lockCustomer(user_id)
    const is_over_limit = yield* limits.isOver(actor, { action, currency, amount, user_id, order_id: order.id })
    // Purchases lock the promo code before the wallet too. A request that is declined has released nothing.
    if (!is_over_limit) yield* releaseCode(request, order)
    yield* wallets.lock(user_id)
    const refund: OrderRefund = {
      ...given,
      ...agreed,
      user_id,
      ends_service,
      status: is_over_limit ? "requested" : "booked",
      is_over_limit,
      ...Decide.createdBy(actor, now),
      decided_at: is_over_limit ? null : now,
      release_at: is_over_limit ? null : releaseOf({ ends_service }, order, now)
    }
    const record = Option.getOrUndefined(yield* repo.insert(refund))
    if (record === undefined) return yield* new KeyReused({ details: {} })
    if (!is_over_limit) yield* book(record, order, { ...agreed, parts })
    return { record, is_replay: false }
  })

  const create = Effect.fn("OrderRefunds.create")(function* (actor: MoneyActor, request: RefundRequest) {
    const order = Option.getOrUndefined(yield* repo.order(request.order_id))
    if (order === undefined) return yield* new MoneyRecordNotFound({ detail: "There is no such order" })
    const usage = request.usage ?? (yield* askUsage(order))
    const attempt = Effect.gen(function* () {
      yield* limits.lock(actor)
      const known = Option.getOrUndefined(yield* repo.find(request.id))
      if (known === undefined) return yield* refunded(actor, request, usage)
      return isSame(request, known) ? { record: known, is_replay: true } : yield* new KeyReused({ details: {} })
    })
    return yield* atomically(attempt)
  }, Effect.uninterruptible)

  return { create, locked, agree, book, releaseCode }
})

const makeDecisions = Effect.fnUntraced(function* ({
  agree,
  book,
  locked,
  releaseCode
}: Pick<Effect.Success<typeof makeCreate>, "agree" | "book" | "locked" | "releaseCode">) {
  const atomically = yield* Atomically
  const repo = yield* OrderRefundsRepo
  const wallets = yield* Wallets

  const find = Effect.fnUntraced(function* (lookUp: Effect.Effect<Option.Option<OrderRefund>>) {
    return Option.getOrUndefined(yield* lookUp) ?? (yield* new MoneyRecordNotFound())
  })

  const approve = Effect.fn("OrderRefunds.approve")(
    function* (
      actor: MoneyActor,
      id: OrderRefundId
    ): Effect.fn.Return<Recorded<OrderRefund>, RefundRefused | Decide.NotDecided> {
      const { order_id } = yield* find(repo.find(id))
      const order = yield* locked(order_id)
      const request = yield* find(repo.lock(id))
      if (yield* Decide.isRepeated(actor, request, "booked")) return { record: request, is_replay: true }
      // The customer does not lose the time that the decision took: the share is that of the request.
      const { computed, created_at, ...asked } = request
      const agreed = yield* agree(order, { ...asked, at: created_at, used_gb: computed.used_gb, is_shown: false })
      yield* releaseCode(request, order)
      yield* wallets.lock(order.user_id)
      const now = yield* DateTime.now
      const decision = { status: "booked", by: actor } as const
      const record = yield* repo.decide(request, decision, releaseOf(request, order, now), now)
      yield* book(record, order, agreed)
      return { record, is_replay: false }
    },
    atomically,
    Effect.uninterruptible
  )

  const decline = Effect.fn("OrderRefunds.decline")(
    function* (actor: MoneyActor, id: OrderRefundId) {
      const request = yield* find(repo.lock(id))
      if (yield* Decide.isRepeated(actor, request, "declined")) return { record: request, is_replay: true }
      const record = yield* repo.decide(request, { status: "declined", by: actor }, null, yield* DateTime.now)
      return { record, is_replay: false }
    },
    atomically,
    Effect.uninterruptible
  )

  return { approve, decline, find: (id: OrderRefundId) => find(repo.find(id)) }
})

/**
 * Refunds of delivered orders by staff, whole, in part, or for what is left of them, to the wallet or to the gateway that the
 * money came from. The id of the request makes it happen once. `create`, `approve` and `again` book; call `finish` when they
 * have committed. What a crash leaves is finished by a job.
 */
export class OrderRefunds extends Context.Service<
  OrderRefunds,
  {
    readonly preview: (order_id: OrderId) => Effect.Effect<PreviewRefund.RefundPreview, AgreeRefund.NotAgreed>
    /** Books a refund, or records a request when a second person must agree. */
    readonly create: (actor: MoneyActor, request: RefundRequest) => Effect.Effect<Recorded<OrderRefund>, RefundRefused>
    readonly approve: (
      actor: MoneyActor,
      id: OrderRefundId
    ) => Effect.Effect<Recorded<OrderRefund>, RefundRefused | Decide.NotDecided>
    readonly decline: (
      actor: MoneyActor,
      id: OrderRefundId
    ) => Effect.Effect<Recorded<OrderRefund>, MoneyRecordNotFound | Decide.NotDecided>
    /** Books money that a gateway did not take once more for a gateway. */
    readonly again: (id: OrderRefundId) => Effect.Effect<OrderRefund, RefundRefused>
    /** Asks the gateway and ends the proxy, as far as a booked refund needs it. */
    readonly finish: (id: OrderRefundId) => Effect.Effect<void>
    readonly find: (id: OrderRefundId) => Effect.Effect<OrderRefund, MoneyRecordNotFound>
    /** Lists refunds, newest first. */
    readonly list: (filter: RefundFilter, limit: number) => Effect.Effect<ReadonlyArray<OrderRefund>>
  }
>()("app/orders/OrderRefunds") {
  static readonly layerNoDeps = Layer.effect(
    OrderRefunds,
    Effect.gen(function* () {
      const repo = yield* OrderRefundsRepo
      const creating = yield* makeCreate
      const decisions = yield* makeDecisions(creating)
      const { again, finish } = yield* FinishRefund.make
      return OrderRefunds.of({
        preview: yield* PreviewRefund.make,
        create: creating.create,
        ...decisions,
        again,
        finish,
        list: repo.list
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([GatewayRefunds.layer, LiveProxies.layer, OrderRefundsRepo.layer, Returns.layer, StaffLimits.layer])
  )
}
