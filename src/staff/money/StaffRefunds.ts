import { Context, Effect, Layer, type Schema } from "effect"
import type { OrderId } from "../../orders/Order.ts"
import type { NotAgreed } from "../../orders/refunds/AgreeRefund.ts"
import {
  type OrderRefund,
  OrderRefundId,
  type RefundFilter,
  type RefundRequest
} from "../../orders/refunds/OrderRefund.ts"
import { OrderRefunds, type RefundRefused } from "../../orders/refunds/OrderRefunds.ts"
import type { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type * as Decide from "../../wallet/adjustments/Decide.ts"
import type { MoneyRecordNotFound } from "../../wallet/adjustments/MoneyErrors.ts"
import { type Actor, needs, type PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import { rehearse } from "../audit/Rehearse.ts"
import type { Permission } from "../Permissions.ts"
import { StaffActions } from "../StaffActions.ts"
import type { ActionKeyReused, StepUpNeeded } from "../StaffErrors.ts"
import * as StepUp from "../StepUp.ts"
import * as KeyedMoney from "./KeyedMoney.ts"
import * as MoneyText from "./MoneyText.ts"
import { type PreviewView, previewView, RefundView, refundView } from "./RefundView.ts"

export interface NewRefund extends Pick<RefundRequest, "kind" | "destination" | "reason_code" | "reason"> {
  readonly amount?: string | null
  readonly ends_service: boolean
  readonly customer_text?: string | null
}

interface Answered {
  readonly answer: typeof RefundView.Type
  readonly replayed: boolean
}

type By = Actor["Service"]
type Failure = RefundRefused | ActionKeyReused | PermissionNeeded

const shown = ({ amount, currency, destination, kind, status }: typeof RefundView.Type) => ({
  amount,
  currency,
  destination,
  kind,
  status
})

const actionOf = ({ destination }: Pick<NewRefund, "destination">) =>
  destination === "gateway" ? "refund.return" : "refund.create"

const make = Effect.gen(function* () {
  const keyed = yield* KeyedMoney.make
  const refunds = yield* OrderRefunds

  /** The gateway and the provider are asked when the transaction of the key has committed. */
  const once = <E extends { readonly detail: unknown }>(
    actor: By,
    key: string,
    named: { readonly action: Permission; readonly operation: string; readonly content: Schema.Json },
    act: Effect.Effect<OrderRefund, E>
  ) =>
    keyed({ ...named, actor, key, kind: "refund", answer: RefundView }, shown, Effect.map(act, refundView)).pipe(
      Effect.tap(({ answer }) => refunds.finish(answer.id))
    )

  const booking = Effect.fnUntraced(function* (actor: By, key: string, order_id: OrderId, given: NewRefund) {
    // Asks the provider before the transaction of the key.
    const { currency, usage } = yield* refunds.preview(order_id)
    const amount = given.amount == null ? undefined : yield* MoneyText.amountIn(currency, given.amount)
    const act = refunds.create(MoneyText.moneyActor(actor), {
      ...given,
      order_id,
      amount,
      usage,
      customer_text: given.customer_text ?? null,
      id: OrderRefundId.make(key.toLowerCase())
    })
    return Effect.map(act, ({ record }) => record)
  })

  const create = Effect.fn("StaffRefunds.create")(function* (
    actor: By,
    key: string,
    order_id: OrderId,
    given: NewRefund
  ) {
    const act = yield* booking(actor, key, order_id, given)
    const named = { action: actionOf(given), operation: "createRefund", content: { order_id, ...given } } as const
    return yield* once(actor, key, named, act)
  })

  const rehearsed = Effect.fn("StaffRefunds.rehearse")(
    function* (actor: By, key: string, order_id: OrderId, given: NewRefund) {
      yield* needs(actor, actionOf(given))
      return refundView(yield* rehearse(yield* booking(actor, key, order_id, given)))
    },
    Effect.provideService(Atomically, yield* Atomically)
  )

  const decide = Effect.fn("StaffRefunds.decide")(function* (
    actor: By,
    key: string,
    id: OrderRefundId,
    decision: "approve" | "decline"
  ) {
    yield* StepUp.needed(actor)
    const by = MoneyText.moneyActor(actor)
    const act = decision === "approve" ? refunds.approve(by, id) : refunds.decline(by, id)
    const named = { action: "refund.approve", operation: "decideRefund", content: { id, decision } } as const
    return yield* once(
      actor,
      key,
      named,
      Effect.map(act, ({ record }) => record)
    )
  })

  const retry = Effect.fn("StaffRefunds.retry")((actor: By, key: string, id: OrderRefundId) =>
    once(actor, key, { action: "refund.return", operation: "retryRefund", content: { id } }, refunds.again(id))
  )

  return { create, decide, rehearse: rehearsed, retry }
})

/** Refunds of orders as staff make them: by permission, once for a key, and on record in the audit log. */
export class StaffRefunds extends Context.Service<
  StaffRefunds,
  {
    readonly preview: (order_id: OrderId) => Effect.Effect<typeof PreviewView.Type, NotAgreed>
    /** The key becomes the id of the refund. */
    readonly create: (
      actor: By,
      key: string,
      order_id: OrderId,
      given: NewRefund
    ) => Effect.Effect<Answered, Failure | RequestInvalid>
    /** Says what `create` would do with the key, and changes nothing. */
    readonly rehearse: (
      actor: By,
      key: string,
      order_id: OrderId,
      given: NewRefund
    ) => Effect.Effect<typeof RefundView.Type, RefundRefused | PermissionNeeded | RequestInvalid>
    readonly decide: (
      actor: By,
      key: string,
      id: OrderRefundId,
      decision: "approve" | "decline"
    ) => Effect.Effect<Answered, Failure | Decide.NotDecided | StepUpNeeded>
    /** Sends money that a gateway did not take once more. */
    readonly retry: (actor: By, key: string, id: OrderRefundId) => Effect.Effect<Answered, Failure>
    readonly get: (id: OrderRefundId) => Effect.Effect<typeof RefundView.Type, MoneyRecordNotFound>
    readonly list: (filter: RefundFilter, limit: number) => Effect.Effect<ReadonlyArray<typeof RefundView.Type>>
  }
>()("app/staff/StaffRefunds") {
  static readonly layerNoDeps = Layer.effect(
    StaffRefunds,
    Effect.gen(function* () {
      const refunds = yield* OrderRefunds
      return StaffRefunds.of({
        ...(yield* make),
        preview: (order_id) => Effect.map(refunds.preview(order_id), previewView),
        get: (id) => Effect.map(refunds.find(id), refundView),
        list: (filter, limit) => Effect.map(refunds.list(filter, limit), (all) => all.map(refundView))
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Audit.layer, OrderRefunds.layer, StaffActions.layer]))
}
