import { Context, Effect, Layer } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { Currency } from "../../platform/Money.ts"
import type { Page } from "../../platform/fields/Page.ts"
import type { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { SavedCards } from "../auto-top-up/SavedCards.ts"
import { descriptions } from "../EntryDescription.ts"
import type { Deposit } from "./Deposit.ts"
import {
  type CardsNotOffered,
  DepositNotFound,
  DepositOfAnotherUser,
  type PaymentMethodNotOffered,
  type PaymentMethodUnavailable,
  type TooManyCards,
  type TooManyOpenPayments,
  type TooManyUnpaidOrders
} from "../PaymentErrors.ts"
import type { PaymentMethod } from "../PaymentMethod.ts"
import { Payments } from "./Payments.ts"
import { PaymentsRepo } from "./PaymentsRepo.ts"
import type { WalletTransactionId } from "../WalletTransaction.ts"

export interface DepositRequest {
  readonly amount: bigint
  readonly currency: Currency
  readonly payment_method: PaymentMethod
  /** Saves the card that pays, so that automatic top-up can charge it later. */
  readonly save_card?: boolean
}

/** Deposits: payments from outside into the account's wallet. */
export class Deposits extends Context.Service<
  Deposits,
  {
    readonly create: (
      owner: UserId,
      request: DepositRequest
    ) => Effect.Effect<
      Deposit,
      | CardsNotOffered
      | PaymentMethodNotOffered
      | PaymentMethodUnavailable
      | TooManyCards
      | TooManyOpenPayments
      | TooManyUnpaidOrders
      | RequestInvalid
    >
    readonly get: (
      owner: UserId,
      id: WalletTransactionId
    ) => Effect.Effect<Deposit, DepositNotFound | DepositOfAnotherUser>
    readonly list: (
      owner: UserId,
      page: Page
    ) => Effect.Effect<{ readonly deposits: ReadonlyArray<Deposit>; readonly total: number }>
  }
>()("app/wallet/Deposits") {
  static readonly layerNoDeps = Layer.effect(
    Deposits,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const cards = yield* SavedCards
      const payments = yield* Payments
      const repo = yield* PaymentsRepo

      const get = Effect.fn("Deposits.get")(function* (owner: UserId, id: WalletTransactionId) {
        const deposit = yield* Effect.flatMap(repo.deposit(id), Effect.fromOption).pipe(
          Effect.mapError(() => new DepositNotFound())
        )
        if (deposit.user_id !== owner) return yield* new DepositOfAnotherUser()
        return deposit
      })

      const create = Effect.fn("Deposits.create")(function* (
        owner: UserId,
        { save_card = false, ...request }: DepositRequest
      ) {
        if (save_card) yield* cards.roomFor(owner)
        const payment = {
          ...request,
          user_id: owner,
          purpose: "deposit" as const,
          description: descriptions.deposit,
          items: 1
        }
        const intent = yield* Effect.catchTag(atomically(payments.prepare(payment)), "PurchasesStopped", Effect.die)
        yield* Effect.tapError(payments.open(intent, save_card), () => payments.abandon(intent.id))
        return yield* Effect.catchTags(get(owner, intent.transaction_id), {
          DepositNotFound: Effect.die,
          DepositOfAnotherUser: Effect.die
        })
      })

      const list = Effect.fn("Deposits.list")(function* (owner: UserId, page: Page) {
        return { deposits: yield* repo.depositsOf(owner, page), total: yield* repo.countOf(owner) }
      })

      return Deposits.of({ create, get, list })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Payments.layer, PaymentsRepo.layer, SavedCards.layer]))
}
