import { Context, Effect, Layer, Option } from "effect"
import { ProxyChangeId } from "../../orders/changes/ProxyChange.ts"
import { type Cared, type CareRefused, OrderCare, type Wanted } from "../../orders/care/OrderCare.ts"
import type { OrderId } from "../../orders/Order.ts"
import type { OrderNotFound } from "../../orders/OrderErrors.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { type Actor, needs, type PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"
import { rehearse } from "../audit/Rehearse.ts"
import { moneyActor } from "../money/MoneyText.ts"
import { StaffActions } from "../StaffActions.ts"
import type { ActionKeyReused } from "../StaffErrors.ts"
import { BegunWork, type OrderWorkView } from "./OrderWork.ts"
import { StaffOrderNotFound } from "./StaffOrderErrors.ts"

type By = Actor["Service"]
type Refused = Exclude<CareRefused, OrderNotFound> | StaffOrderNotFound | PermissionNeeded

/** An action, and why. */
export type Work = Wanted & { readonly reason: string }

interface Answered {
  readonly answer: OrderWorkView
  readonly replayed: boolean
}

const orStaff = <A, E, R>(effect: Effect.Effect<A, E | OrderNotFound, R>) =>
  Effect.catchIf(
    effect,
    (error): error is Extract<E | OrderNotFound, OrderNotFound> =>
      (error as { readonly _tag?: string })._tag === "OrderNotFound",
    () => Effect.fail(new StaffOrderNotFound())
  )

const made = (work: BegunWork, { order }: Cared, outcome: string, detail: string | null): OrderWorkView => ({
  ...work,
  status: order.status,
  proxy_status: order.proxy_status,
  expires_at: order.expires_at,
  host: order.host,
  port: order.port,
  is_done: outcome === "done",
  outcome,
  detail
})

const make = Effect.gen(function* () {
  const actions = yield* StaffActions
  const audit = yield* Audit
  const care = yield* OrderCare
  const guard = yield* Guard.make

  const read = (id: OrderId) => orStaff(care.read(id))

  /** The order after an action, and the outcome of its call. */
  const outcomeOf = Effect.fnUntraced(function* (work: BegunWork) {
    const cared = yield* read(work.order_id)
    const { order } = cared
    if (work.action === "replace" || work.action === "extend") {
      const change = Option.getOrUndefined(yield* care.change(ProxyChangeId.make(work.id)))
      if (change?.status === "applied") return made(work, cared, "done", null)
      if (change?.status === "refused") return made(work, cared, "refused", change.detail)
      return made(work, cared, change?.attempted_at == null ? "pending" : "unknown", null)
    }
    if (order.attempt === "open" || order.change === "unknown") return made(work, cared, "unknown", null)
    if (order.attempt === "orphaned")
      return made(work, cared, "refused", "the provider did not answer, or does not list the proxy; try again")
    if (work.action === "retry" && order.status === "refunded" && order.provider_proxy_id === null)
      return made(work, cared, "refused", "the provider refused; the order was refunded")
    const isPending = order.is_releasing || order.status === "paid" || order.attempt === "abandoned"
    return made(work, cared, isPending ? "pending" : "done", null)
  })

  /** `refusals` come from before the transaction of the key, because the provider was asked for them. */
  const beginning = (actor: By, key: string, { order, refusals }: Cared, { reason, ...wanted }: Work) => {
    const [id, order_id] = [key.toLowerCase(), order.id]
    return Effect.gen(function* () {
      if (wanted.action === "extend") yield* needs(actor, "adjustment.goodwill")
      const refusal = wanted.action === "replace" ? refusals.replace : undefined
      if (refusal !== undefined) return yield* refusal
      const given = { id: ProxyChangeId.make(id), by: moneyActor(actor), reason }
      const { proxy_status, status, user_id } = yield* care.begin(order_id, wanted, given)
      const subject = { kind: "order", id: order_id }
      const before = { status, state: proxy_status }
      const after = {
        kind: wanted.action,
        reference: id,
        ...(wanted.action === "extend" && { time: "days" in wanted.time ? `${wanted.time.days} days` : "1 month" })
      }
      yield* audit.record({ actor, action: "order.work", subject, user_id, before, after, reason })
      return { id, order_id, user_id, action: wanted.action } satisfies BegunWork
    }).pipe(orStaff)
  }

  const work = Effect.fn("StaffOrderWork.work")(function* (actor: By, key: string, order_id: OrderId, given: Work) {
    const act = beginning(actor, key, yield* read(order_id), given)
    const content = { order_id, ...given }
    const attempt = { actor, permission: "order.work", subject: { kind: "order", id: order_id } } as const
    const keyed = { actor, key, operation: "workOnOrder", content, answer: BegunWork }
    // The action is on record, so it begins even if the client has gone.
    const begun = guard.allow(attempt, actions.once(keyed, act))
    const { answer, replayed } = yield* Effect.uninterruptible(
      Effect.tap(begun, ({ answer }) => care.finish(answer.order_id, answer.action))
    )
    return { answer: yield* outcomeOf(answer), replayed }
  })

  const rehearsed = Effect.fn("StaffOrderWork.rehearse")(
    function* (actor: By, key: string, order_id: OrderId, given: Work) {
      yield* needs(actor, "order.work")
      yield* rehearse(beginning(actor, key, yield* read(order_id), given))
    },
    Effect.provideService(Atomically, yield* Atomically)
  )

  const actionsOf = Effect.fn("StaffOrderWork.actions")(function* (actor: By, order_id: OrderId) {
    yield* needs(actor, "order.read")
    return yield* read(order_id)
  })

  return { actions: actionsOf, work, rehearse: rehearsed }
})

/** The work of staff on orders: by permission, once for a key, and on record in the audit log. */
export class StaffOrderWork extends Context.Service<
  StaffOrderWork,
  {
    /** Lists the work that an order allows now, and why it does not allow the rest. */
    readonly actions: (actor: By, order_id: OrderId) => Effect.Effect<Cared, StaffOrderNotFound | PermissionNeeded>
    /** The key becomes the id of a change. Answers the order after the work, or while the service goes on with it. */
    readonly work: (
      actor: By,
      key: string,
      order_id: OrderId,
      given: Work
    ) => Effect.Effect<Answered, Refused | ActionKeyReused>
    /** Refuses what `work` would refuse with the key, and changes nothing. */
    readonly rehearse: (actor: By, key: string, order_id: OrderId, given: Work) => Effect.Effect<void, Refused>
  }
>()("app/staff/StaffOrderWork") {
  static readonly layerNoDeps = Layer.effect(this, Effect.map(make, StaffOrderWork.of))

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Audit.layer, OrderCare.layer, StaffActions.layer]))
}
