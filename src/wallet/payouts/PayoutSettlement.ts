import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Notifications } from "../../notifications/Notifications.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { MoneyActor } from "../adjustments/MoneyActor.ts"
import { LimitReached } from "../adjustments/MoneyErrors.ts"
import { StaffLimits } from "../adjustments/StaffLimits.ts"
import { ReversalDebts } from "../ReversalDebts.ts"
import { Wallets } from "../Wallets.ts"
import type { Payout, PayoutFilter, PayoutId, PayoutStatus } from "./Payout.ts"
import { CustomerStopped, OwnCredit, PayoutMoved, PayoutNotFound } from "./PayoutErrors.ts"
import * as PayoutNotices from "./PayoutNotices.ts"
import { PayoutsRepo } from "./PayoutsRepo.ts"
import * as ReturnPayout from "./ReturnPayout.ts"

type Moving = PayoutNotFound | PayoutMoved

type NotApproved = CustomerStopped | LimitReached | OwnCredit

/** Nobody approves money of a customer to whom the same person gave money within this time. */
const givenWithin = { days: 30 }

const mayGo = ({ status }: Payout, from: ReadonlyArray<PayoutStatus>): Effect.Effect<void, PayoutMoved> =>
  from.includes(status) ? Effect.void : Effect.fail(new PayoutMoved({ details: { status } }))

const makeMoves = Effect.gen(function* () {
  const atomically = yield* Atomically
  const giveBack = yield* ReturnPayout.make
  const limits = yield* StaffLimits
  const notifications = yield* Notifications
  const repo = yield* PayoutsRepo
  const wallets = yield* Wallets

  /** Every writer locks the wallets before the records of money. */
  const locked = Effect.fnUntraced(function* (id: PayoutId) {
    const known = Option.getOrUndefined(yield* repo.find(id))
    if (known === undefined) return yield* new PayoutNotFound()
    yield* wallets.lock(known.user_id)
    return yield* Effect.flatMap(repo.lock(id), Effect.fromOption).pipe(Effect.orDie)
  })

  /** A lock of the wallets orders this and the restrictions, refunds and disputes of the customer. */
  const mayLeave = ({ user_id }: Payout) =>
    Effect.mapError(wallets.mayBuy(user_id), () => new CustomerStopped({ details: {} }))

  const approve = Effect.fn("PayoutSettlement.approve")(
    function* (actor: MoneyActor, id: PayoutId): Effect.fn.Return<Payout, Moving | NotApproved> {
      yield* limits.lock(actor)
      const payout = yield* locked(id)
      if (payout.status === "approved" && payout.approved_by === actor.id) return payout
      yield* mayGo(payout, ["requested"])
      const { amount, currency, user_id } = payout
      yield* mayLeave(payout)
      const now = yield* DateTime.now
      if (yield* repo.isGivenBy(user_id, actor, DateTime.subtract(now, givenWithin)))
        return yield* new OwnCredit({ details: {} })
      if (yield* limits.isOver(actor, { action: "payout", currency, amount, user_id, order_id: null }))
        return yield* new LimitReached({ details: {} })
      return yield* repo.approve(id, actor, now)
    },
    atomically,
    Effect.uninterruptible
  )

  const send = Effect.fn("PayoutSettlement.send")(
    function* (actor: MoneyActor, id: PayoutId, reference: string): Effect.fn.Return<Payout, Moving | CustomerStopped> {
      const payout = yield* locked(id)
      if (payout.status === "sent" && payout.reference === reference) return payout
      yield* mayGo(payout, ["approved"])
      yield* mayLeave(payout)
      const settlement = { status: "sent", by: actor, reference, customer_text: null, return_id: null } as const
      const sent = yield* repo.settle(id, settlement, yield* DateTime.now)
      yield* notifications.add([PayoutNotices.sent(sent)])
      return sent
    },
    atomically,
    Effect.uninterruptible
  )

  const decline = Effect.fn("PayoutSettlement.decline")(
    function* (actor: MoneyActor, id: PayoutId, customer_text: string): Effect.fn.Return<Payout, Moving> {
      const payout = yield* locked(id)
      if (payout.status === "declined" && payout.customer_text === customer_text) return payout
      yield* mayGo(payout, ["requested", "approved"])
      const declined = yield* giveBack(payout, { status: "declined", by: actor, customer_text })
      yield* notifications.add([PayoutNotices.declined(declined)])
      return declined
    },
    atomically,
    Effect.uninterruptible
  )

  return { approve, send, decline }
})

/** Settles the requests of customers for money of their wallets. Repeating an action changes nothing. */
export class PayoutSettlement extends Context.Service<
  PayoutSettlement,
  {
    /**
     * Says that staff may send the money. Refused above the limits of the actor, while the customer is stopped, and for 30 days
     * after the actor gave the customer money.
     */
    readonly approve: (actor: MoneyActor, id: PayoutId) => Effect.Effect<Payout, Moving | NotApproved>
    /** Says by which transfer the money of an approved request was sent. Refused while the customer is stopped. */
    readonly send: (
      actor: MoneyActor,
      id: PayoutId,
      reference: string
    ) => Effect.Effect<Payout, Moving | CustomerStopped>
    /** Returns the money to the wallet, with a reason for the customer. */
    readonly decline: (actor: MoneyActor, id: PayoutId, customer_text: string) => Effect.Effect<Payout, Moving>
    readonly find: (id: PayoutId) => Effect.Effect<Payout, PayoutNotFound>
    /** Lists requests: open ones oldest first, others newest first. */
    readonly list: (filter: PayoutFilter, limit: number) => Effect.Effect<ReadonlyArray<Payout>>
  }
>()("app/wallet/PayoutSettlement") {
  static readonly layerNoDeps = Layer.effect(
    PayoutSettlement,
    Effect.gen(function* () {
      const repo = yield* PayoutsRepo
      const find = Effect.fn("PayoutSettlement.find")(function* (id: PayoutId) {
        return Option.getOrUndefined(yield* repo.find(id)) ?? (yield* new PayoutNotFound())
      })
      return PayoutSettlement.of({ ...(yield* makeMoves), find, list: repo.list })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Notifications.layer, PayoutsRepo.layer, ReversalDebts.layer, StaffLimits.layer])
  )
}
