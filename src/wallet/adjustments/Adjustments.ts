import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import * as Money from "../../platform/Money.ts"
import { descriptions } from "../EntryDescription.ts"
import { ReversalDebts } from "../ReversalDebts.ts"
import { Wallets } from "../Wallets.ts"
import { newTransactionId, type WalletTransactionId } from "../WalletTransaction.ts"
import type { Adjustment, AdjustmentFilter, AdjustmentId, AdjustmentRequest } from "./Adjustment.ts"
import { AdjustmentsRepo } from "./AdjustmentsRepo.ts"
import * as Decide from "./Decide.ts"
import type { MoneyActor } from "./MoneyActor.ts"
import { BalanceTooLow, CustomerNotFound, KeyReused, MoneyRecordNotFound, NothingToRevoke } from "./MoneyErrors.ts"
import { StaffLimits } from "./StaffLimits.ts"

/** The record of an action. A repetition with the same id changes nothing. */
export interface Recorded<A> {
  readonly record: A
  readonly is_replay: boolean
}

export interface Revocation extends Pick<Adjustment, "id" | "reason_code" | "reason" | "customer_text"> {
  readonly revokes: AdjustmentId
  /** Positive; absent: all that is left of the credit. */
  readonly amount?: bigint | undefined
}

export type AdjustmentRefused = CustomerNotFound | MoneyRecordNotFound | KeyReused | BalanceTooLow | NothingToRevoke

const compared = [
  "user_id",
  "currency",
  "amount",
  "cause",
  "reason_code",
  "reason",
  "customer_text",
  "order_id",
  "revokes"
] as const

type Request = Pick<Adjustment, "id" | (typeof compared)[number]>

const isSame = (one: Pick<Adjustment, (typeof compared)[number]>, other: Adjustment) =>
  compared.every((field) => one[field] === other[field])

const textOf = ({ amount, cause, customer_text }: Adjustment) =>
  customer_text ??
  (cause === "correction" ? descriptions[amount > 0n ? "corrected_up" : "corrected_down"] : descriptions[cause])

const magnitude = (amount: bigint) => (amount < 0n ? -amount : amount)

/** A debit that is too large for its wallet fails, so that the caller's transaction rolls back. */
const makeBook = Effect.gen(function* () {
  const debts = yield* ReversalDebts
  const wallets = yield* Wallets

  const debit = Effect.fnUntraced(function* (adjustment: Adjustment, id: WalletTransactionId) {
    const { amount, cause, currency, user_id } = adjustment
    const entry = { id, user_id, currency, reference: `adjustment:${adjustment.id}`, description: textOf(adjustment) }
    const debited = yield* wallets.withdraw({ ...entry, at_most: -amount, is_sandbox: false, cause })
    if (debited < -amount)
      return yield* new BalanceTooLow({ details: { balance: Money.toDecimal(currency, debited), currency } })
  })

  return Effect.fnUntraced(function* (adjustment: Adjustment, id: WalletTransactionId) {
    const { amount, cause, currency, user_id } = adjustment
    if (amount < 0n) return yield* debit(adjustment, id)
    yield* wallets.credit({
      id,
      user_id,
      currency,
      amount,
      payment_method: "wallet",
      external_id: null,
      reference: `adjustment:${adjustment.id}`,
      description: textOf(adjustment),
      is_sandbox: false,
      cause
    })
    // Such as a transfer that came back. A gift stays with the customer.
    if (cause === "correction") yield* debts.collect({ user_id, currency, amount })
  })
})

type Book = Effect.Success<typeof makeBook>

const makeRecord = Effect.fnUntraced(function* (book: Book) {
  const limits = yield* StaffLimits
  const repo = yield* AdjustmentsRepo
  const wallets = yield* Wallets

  /** Books the adjustment, or leaves it as a request when a second person must agree. */
  return Effect.fnUntraced(function* (
    actor: MoneyActor,
    request: Request
  ): Effect.fn.Return<Recorded<Adjustment>, AdjustmentRefused> {
    const { amount, cause, currency, order_id, user_id } = request
    if (!(yield* repo.hasAccount(user_id))) return yield* new CustomerNotFound()
    if (order_id !== null && !(yield* repo.hasOrder(order_id, user_id)))
      return yield* new MoneyRecordNotFound({ detail: "The account has no such order" })
    yield* wallets.lock(user_id)
    const action = cause === "goodwill" ? "goodwill" : "correction"
    const limited = { action, currency, amount: magnitude(amount), user_id, order_id: null } as const
    const is_over_limit = yield* limits.isOver(actor, limited)
    const transaction_id = is_over_limit ? null : yield* newTransactionId
    const now = yield* DateTime.now
    const adjustment: Adjustment = {
      ...request,
      status: is_over_limit ? "requested" : "booked",
      is_over_limit,
      transaction_id,
      ...Decide.createdBy(actor, now),
      decided_at: is_over_limit ? null : now
    }
    const record = Option.getOrUndefined(yield* repo.insert(adjustment))
    if (record === undefined) return yield* new KeyReused({ details: {} })
    if (transaction_id !== null) yield* book(record, transaction_id)
    return { record, is_replay: false }
  })
})

const makeDecisions = Effect.fnUntraced(function* (book: Book) {
  const repo = yield* AdjustmentsRepo
  const wallets = yield* Wallets
  const atomically = yield* Atomically

  /** Refuses a revocation of which less is left than when it was requested. */
  const revocable = Effect.fnUntraced(function* ({ amount, currency, revokes }: Adjustment) {
    if (revokes === null) return
    const given = yield* Effect.flatMap(repo.find(revokes), Effect.fromOption).pipe(Effect.orDie)
    const left = yield* repo.leftOf(given)
    if (left < -amount) return yield* new NothingToRevoke({ details: { left: Money.toDecimal(currency, left) } })
  })

  const decided = Effect.fnUntraced(function* (
    actor: MoneyActor,
    id: AdjustmentId,
    status: "booked" | "declined"
  ): Effect.fn.Return<Recorded<Adjustment>, AdjustmentRefused | Decide.NotDecided> {
    const request = Option.getOrUndefined(yield* repo.lock(id))
    if (request === undefined) return yield* new MoneyRecordNotFound()
    if (yield* Decide.isRepeated(actor, request, status)) return { record: request, is_replay: true }
    const transaction_id = status === "booked" ? yield* newTransactionId : null
    if (transaction_id !== null) {
      yield* wallets.lock(request.user_id)
      yield* revocable(request)
      yield* book(request, transaction_id)
    }
    const record = yield* repo.decide(request, { status, by: actor }, transaction_id, yield* DateTime.now)
    return { record, is_replay: false }
  })

  return {
    approve: Effect.fn("Adjustments.approve")(
      (actor: MoneyActor, id: AdjustmentId) => decided(actor, id, "booked"),
      atomically,
      Effect.uninterruptible
    ),
    decline: Effect.fn("Adjustments.decline")(
      (actor: MoneyActor, id: AdjustmentId) => decided(actor, id, "declined"),
      atomically,
      Effect.uninterruptible
    )
  }
})

const makeRequests = Effect.fnUntraced(function* (book: Book) {
  const atomically = yield* Atomically
  const limits = yield* StaffLimits
  const record = yield* makeRecord(book)
  const repo = yield* AdjustmentsRepo
  const wallets = yield* Wallets

  /** The record of an earlier request with the id; fails when it was another request. */
  const earlier = Effect.fnUntraced(function* (
    request: Omit<Request, "amount"> & { readonly amount?: bigint | undefined }
  ) {
    const known = Option.getOrUndefined(yield* repo.find(request.id))
    if (known === undefined) return undefined
    if (!isSame({ ...request, amount: request.amount ?? known.amount }, known))
      return yield* new KeyReused({ details: {} })
    return { record: known, is_replay: true }
  })

  const create = Effect.fn("Adjustments.create")(
    function* (actor: MoneyActor, given: AdjustmentRequest) {
      yield* limits.lock(actor)
      const request = { ...given, revokes: null }
      return (yield* earlier(request)) ?? (yield* record(actor, request))
    },
    atomically,
    Effect.uninterruptible
  )

  const revoke = Effect.fn("Adjustments.revoke")(
    function* (actor: MoneyActor, { amount, ...given }: Revocation) {
      yield* limits.lock(actor)
      const credit = Option.getOrUndefined(yield* repo.find(given.revokes))
      if (credit?.cause !== "goodwill" || credit.status !== "booked") return yield* new MoneyRecordNotFound()
      const { currency, order_id, user_id } = credit
      const request = { ...given, user_id, currency, order_id, cause: "goodwill_revoked" as const }
      const known = yield* earlier({ ...request, amount: amount === undefined ? undefined : -amount })
      if (known !== undefined) return known
      if (order_id !== null) yield* repo.hasOrder(order_id, user_id)
      yield* wallets.lock(user_id)
      const left = yield* repo.leftOf(credit)
      const taken = amount ?? left
      if (taken > left || left === 0n)
        return yield* new NothingToRevoke({ details: { left: Money.toDecimal(currency, left) } })
      return yield* record(actor, { ...request, amount: -taken })
    },
    atomically,
    Effect.uninterruptible
  )

  return { create, revoke }
})

/**
 * Credits and debits by staff. Each is a ledger entry with a record that says who, why and who agreed. The id of the request
 * makes it happen once. A wallet never goes below zero.
 */
export class Adjustments extends Context.Service<
  Adjustments,
  {
    /** Credits or debits a wallet, or records a request when a second person must agree. */
    readonly create: (
      actor: MoneyActor,
      request: AdjustmentRequest
    ) => Effect.Effect<Recorded<Adjustment>, AdjustmentRefused>
    /** Takes a goodwill credit back, at most what is left of it. */
    readonly revoke: (
      actor: MoneyActor,
      revocation: Revocation
    ) => Effect.Effect<Recorded<Adjustment>, AdjustmentRefused>
    readonly approve: (
      actor: MoneyActor,
      id: AdjustmentId
    ) => Effect.Effect<Recorded<Adjustment>, AdjustmentRefused | Decide.NotDecided>
    readonly decline: (
      actor: MoneyActor,
      id: AdjustmentId
    ) => Effect.Effect<Recorded<Adjustment>, AdjustmentRefused | Decide.NotDecided>
    readonly find: (id: AdjustmentId) => Effect.Effect<Adjustment, MoneyRecordNotFound>
    /** Lists adjustments: requests oldest first, others newest first. */
    readonly list: (filter: AdjustmentFilter, limit: number) => Effect.Effect<ReadonlyArray<Adjustment>>
  }
>()("app/wallet/Adjustments") {
  static readonly layerNoDeps = Layer.effect(
    Adjustments,
    Effect.gen(function* () {
      const repo = yield* AdjustmentsRepo
      const book = yield* makeBook

      const find = Effect.fn("Adjustments.find")(function* (id: AdjustmentId) {
        return Option.getOrUndefined(yield* repo.find(id)) ?? (yield* new MoneyRecordNotFound())
      })

      return Adjustments.of({ ...(yield* makeRequests(book)), ...(yield* makeDecisions(book)), find, list: repo.list })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([AdjustmentsRepo.layer, ReversalDebts.layer, StaffLimits.layer])
  )
}
