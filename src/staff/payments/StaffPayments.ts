import { Context, Effect, Layer, Option } from "effect"
import type { PaymentIntentId } from "../../wallet/PaymentIntent.ts"
import { type GatewayCannotTell, type GatewaySilent, PaymentLookUps } from "../../wallet/payments/PaymentLookUps.ts"
import { type Actor, may, needs, type PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"
import * as CustomerQuery from "../customers/CustomerQuery.ts"
import * as Keyset from "../Keyset.ts"
import { maskedEmail } from "../MaskedEmail.ts"
import { StaffActions } from "../StaffActions.ts"
import type { ActionKeyReused } from "../StaffErrors.ts"
import { LookedUp } from "./LookedUp.ts"
import { CallbackNotFound, StaffPaymentNotFound } from "./PaymentErrors.ts"
import type { CallbackBody, PaymentWithRecords, StaffPayment } from "./StaffPayment.ts"
import { type PaymentFilter, StaffPaymentsRepo } from "./StaffPaymentsRepo.ts"

type By = Actor["Service"]

interface PaymentSearch extends Omit<PaymentFilter, "query"> {
  /** An id, a mail address, or the id of a charge or a payment at its gateway. */
  readonly words?: string | undefined
}

interface Answered {
  readonly answer: PaymentWithRecords
  readonly replayed: boolean
}

const shown = (actor: By, payment: StaffPayment): StaffPayment => ({
  ...payment,
  email: may(actor, "customer.identify") ? payment.email : maskedEmail(payment.email)
})

const make = Effect.gen(function* () {
  const actions = yield* StaffActions
  const audit = yield* Audit
  const guard = yield* Guard.make
  const lookUps = yield* PaymentLookUps
  const repo = yield* StaffPaymentsRepo

  const read = Effect.fnUntraced(function* (actor: By, id: PaymentIntentId) {
    const payment = Option.getOrUndefined(yield* repo.find(id))
    if (payment === undefined) return yield* new StaffPaymentNotFound()
    return {
      payment: shown(actor, payment),
      charges: yield* repo.charges(id),
      callbacks: yield* repo.callbacks(id),
      refunds: may(actor, "refund.read") ? yield* repo.refunds(id) : [],
      reversals: may(actor, "dispute.read") ? yield* repo.reversals(id) : [],
      orders: may(actor, "order.read") ? yield* repo.orders(id) : []
    } satisfies PaymentWithRecords
  })

  const get = Effect.fn("StaffPayments.get")((actor: By, id: PaymentIntentId) =>
    Effect.andThen(needs(actor, "payment.read"), read(actor, id))
  )

  const list = Effect.fn("StaffPayments.list")(function* (
    actor: By,
    { words, ...filter }: PaymentSearch,
    { limit, ...page }: Keyset.Keyset
  ) {
    yield* needs(actor, "payment.read")
    const query = words === undefined ? undefined : CustomerQuery.parse(words)
    const rows = yield* repo.list({ ...filter, query }, { ...page, limit: limit + 1 })
    return Keyset.pageOf(
      rows.map((payment) => shown(actor, payment)),
      limit
    )
  })

  const body = Effect.fn("StaffPayments.body")((actor: By, id: string) => {
    const subject = { kind: "payment_callback", id }
    const act = Effect.gen(function* () {
      const found = Option.getOrUndefined(yield* repo.body(id))
      if (found === undefined) return yield* new CallbackNotFound()
      yield* audit.record({ actor, action: "payment.body", subject, after: { status: found.outcome } })
      return found
    })
    return guard.allow({ actor, permission: "payment.body", subject }, act)
  })

  /** The gateway is asked when the transaction of the key has committed. */
  const lookUp = Effect.fn("StaffPayments.lookUp")(function* (
    actor: By,
    key: string,
    id: PaymentIntentId,
    reason: string
  ) {
    const subject = { kind: "payment", id }
    const act = Effect.gen(function* () {
      const { payment } = yield* read(actor, id)
      const { status, user_id } = payment
      yield* audit.record({ actor, action: "payment.look_up", subject, user_id, before: { status }, reason })
      return { id }
    })
    const keyed = { actor, key, operation: "lookUpPayment", content: { id, reason }, answer: LookedUp }
    const attempt = { actor, permission: "payment.look_up", subject } as const
    const { replayed } = yield* Effect.tap(guard.allow(attempt, actions.once(keyed, act)), () =>
      Effect.catchTag(lookUps.lookUp(id), "PaymentNotFound", () => new StaffPaymentNotFound())
    )
    return { answer: yield* read(actor, id), replayed }
  })

  return { body, get, list, lookUp }
})

/** Payments from outside as staff see them, with what their gateways reported. */
export class StaffPayments extends Context.Service<
  StaffPayments,
  {
    /** Refunds, reversals and orders are empty for staff who may not read them. */
    readonly get: (
      actor: By,
      id: PaymentIntentId
    ) => Effect.Effect<PaymentWithRecords, StaffPaymentNotFound | PermissionNeeded>
    /** The newest first. */
    readonly list: (
      actor: By,
      search: PaymentSearch,
      page: Keyset.Keyset
    ) => Effect.Effect<{ readonly items: ReadonlyArray<StaffPayment>; readonly next: string | null }, PermissionNeeded>
    /** The raw body of a callback. The audit log records who has read it. */
    readonly body: (actor: By, id: string) => Effect.Effect<CallbackBody, CallbackNotFound | PermissionNeeded>
    /** Asks the gateway now, and settles the payment by the answer. */
    readonly lookUp: (
      actor: By,
      key: string,
      id: PaymentIntentId,
      reason: string
    ) => Effect.Effect<
      Answered,
      StaffPaymentNotFound | GatewayCannotTell | GatewaySilent | PermissionNeeded | ActionKeyReused
    >
  }
>()("app/staff/StaffPayments") {
  static readonly layerNoDeps = Layer.effect(this, Effect.map(make, StaffPayments.of))

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Audit.layer, PaymentLookUps.layer, StaffActions.layer, StaffPaymentsRepo.layer])
  )
}
