import { type Array as Arr, Context, DateTime, Effect, Layer } from "effect"
import type { UserId } from "../accounts/User.ts"
import { Atomically } from "../platform/postgres/Atomically.ts"
import * as Money from "../platform/Money.ts"
import type { EntryCause } from "./EntryCause.ts"
import { type BookingParts, total } from "./LedgerEntry.ts"
import { LedgerRepo } from "./LedgerRepo.ts"
import type { PaymentMethod } from "./PaymentMethod.ts"
import type { Spender } from "./Spender.ts"
import type { Wallet } from "./Wallet.ts"
import { DailySpendLimitReached, InsufficientBalance, PurchasesStopped } from "./WalletErrors.ts"
import { WalletsRepo } from "./WalletsRepo.ts"
import { newTransactionId, type WalletTransactionId } from "./WalletTransaction.ts"

/** The payments of one purchase. They are booked together or not at all. */
export interface Charge {
  readonly user_id: UserId
  readonly currency: Money.Currency
  /** Null when the person pays. */
  readonly spender: Spender | null
  readonly entries: ReadonlyArray<{
    /** Null when the payment is not for an order. */
    readonly order_id: string | null
    /** Names the payment. Each reference is paid at most once. */
    readonly reference: string
    /** Greater than zero, in the currency's unit. */
    readonly amount: bigint
    /** The same price in micro-dollars. */
    readonly amount_usd: bigint
    readonly description: string
  }>
}

/** A debit of money that a gateway or staff takes back, or that leaves for a gateway. */
export interface Withdrawal {
  readonly id: WalletTransactionId
  readonly user_id: UserId
  readonly currency: Money.Currency
  /** Greater than zero, in the currency's unit. */
  readonly at_most: bigint
  readonly reference: string
  readonly description: string
  /** True debits sandbox money only; false debits real money only. */
  readonly is_sandbox: boolean
  readonly cause?: EntryCause
}

/** A full refund of one payment. */
export interface Refund {
  readonly order_id: string | null
  /** The reference of the payment that is refunded. */
  readonly payment_reference: string
  readonly reference: string
  readonly description: string
}

/** A credit of money from outside, of a referral share, of a reversal that was returned, or by staff. */
export interface Credit {
  readonly id: WalletTransactionId
  readonly user_id: UserId
  readonly currency: Money.Currency
  readonly amount: bigint
  readonly payment_method: PaymentMethod | "wallet"
  /** The id of the payment at its gateway; null when it has none. */
  readonly external_id: string | null
  readonly reference: string
  readonly description: string
  /** True for sandbox money and for a share of it, because no real payment is behind it. */
  readonly is_sandbox: boolean
  readonly cause?: EntryCause
}

const fromWallet = { payment_method: "wallet", external_id: null, refunded_transaction_id: null } as const
const noSpender = { api_key_id: null, grant_id: null } as const
const toWallet = { ...fromWallet, ...noSpender, amount_usd: null } as const

const spentBy = (spender: Spender | null) => ({
  api_key_id: spender?.kind === "api_key" ? spender.id : null,
  grant_id: spender?.kind === "grant" ? spender.id : null
})

const makeHolding = Effect.gen(function* () {
  const ledger = yield* LedgerRepo
  const repo = yield* WalletsRepo

  const list = Effect.fn("Wallets.list")(function* (owner: UserId) {
    const found = yield* repo.walletsOf(owner)
    if (found.length === Money.Currency.literals.length) return found
    yield* repo.create(owner)
    return yield* repo.walletsOf(owner)
  })

  const balance = Effect.fn("Wallets.balance")(function* (owner: UserId, currency: Money.Currency) {
    const found = (yield* list(owner)).find((wallet) => wallet.currency === currency)
    return found ?? (yield* Effect.die(`No ${currency} wallet of ${owner}`))
  })

  const credit = Effect.fn("Wallets.credit")(function* ({ user_id, currency, is_sandbox, ...credit }: Credit) {
    yield* list(user_id)
    const entry = { ...toWallet, ...credit, transaction_type: "deposit" as const, order_id: null }
    const sandbox = is_sandbox ? credit.amount : 0n
    if (yield* ledger.book({ user_id, currency, entries: [entry], sandbox })) return
    return yield* Effect.die(`${entry.reference} could not be credited`)
  })

  const lock = Effect.fn("Wallets.lock")(function* (user_id: UserId) {
    return { purchases_stopped: (yield* repo.lockOf(user_id)).some(({ purchases_stopped }) => purchases_stopped) }
  })

  const withdraw = Effect.fn("Wallets.withdraw")(function* ({ at_most, is_sandbox, ...withdrawal }: Withdrawal) {
    const { currency, user_id, ...entry } = withdrawal
    const wallet = (yield* repo.lockOf(user_id)).find((held) => held.currency === currency)
    const { balance = 0n, sandbox_balance = 0n } = wallet ?? {}
    const held = is_sandbox ? sandbox_balance : balance - sandbox_balance
    const amount = at_most < held ? at_most : held
    if (amount <= 0n) return 0n
    const booked = { ...fromWallet, ...noSpender, ...entry, amount: -amount, amount_usd: null, order_id: null }
    const entries = [{ ...booked, transaction_type: "withdrawal" as const }]
    if (yield* ledger.book({ user_id, currency, entries, sandbox: is_sandbox ? -amount : 0n })) return amount
    return yield* Effect.die(`${entry.reference} could not be withdrawn`)
  })

  return { list, balance, credit, lock, withdraw }
})

/** Exact only while the account's wallets are locked, because a spender may make several payments at the same time. */
const makeWithinLimit = Effect.gen(function* () {
  const ledger = yield* LedgerRepo

  return Effect.fn("Wallets.withinLimit")(function* (spender: Charge["spender"], amount_usd: bigint) {
    if (spender === null || spender.daily_spend_limit_usd === null) return
    const limit = spender.daily_spend_limit_usd
    const spent = yield* ledger.spentBy(spender, DateTime.startOf(yield* DateTime.now, "day"))
    if (spent + amount_usd <= limit) return
    return yield* new DailySpendLimitReached({
      details: { limit: Money.toDecimal("USD", limit), spent: Money.toDecimal("USD", spent) }
    })
  })
})

/** True when the API key or the app that pays has a daily limit. */
export const isLimited = ({ spender }: Pick<Charge, "spender">) => (spender?.daily_spend_limit_usd ?? null) !== null

/** Exact only while the account's wallets are locked. */
const makeMayBuy = Effect.gen(function* () {
  const repo = yield* WalletsRepo

  return Effect.fn("Wallets.mayBuy")(function* (owner: UserId) {
    if (yield* repo.isStopped(owner)) return yield* new PurchasesStopped({ details: {} })
  })
})

type ChargeParts = Pick<Wallets["Service"], "balance" | "mayBuy" | "withinLimit">

const makeCharge = Effect.fnUntraced(function* ({ balance, mayBuy, withinLimit }: ChargeParts) {
  const atomically = yield* Atomically
  const ledger = yield* LedgerRepo
  const repo = yield* WalletsRepo

  const payments = Effect.fnUntraced(function* ({ currency, entries, spender, user_id }: Charge) {
    const booked = yield* Effect.forEach(entries, (entry) =>
      Effect.map(newTransactionId, (id) => ({
        ...entry,
        ...fromWallet,
        id,
        transaction_type: "payment" as const,
        ...spentBy(spender),
        amount: -entry.amount
      }))
    )
    return { user_id, currency, entries: booked }
  })

  const refuse = Effect.fnUntraced(function* ({ currency, entries, user_id }: Charge) {
    yield* mayBuy(user_id)
    const held = yield* balance(user_id, currency)
    return yield* new InsufficientBalance({
      details: {
        required: Money.toDecimal(currency, total(entries)),
        balance: Money.toDecimal(currency, held.balance),
        currency
      }
    })
  })

  const debit = Effect.fnUntraced(function* (charge: Charge) {
    if (!(yield* ledger.book(yield* payments(charge)))) return yield* refuse(charge)
  })

  const enforceLimit = Effect.fnUntraced(function* ({ entries, spender, user_id }: Charge) {
    yield* repo.lockOf(user_id)
    const cost = entries.reduce((sum, { amount_usd }) => sum + amount_usd, 0n)
    yield* withinLimit(spender, cost)
  })

  const charge = Effect.fnUntraced(function* (charge: Charge) {
    if (!isLimited(charge)) return yield* debit(charge)
    return yield* atomically(Effect.andThen(enforceLimit(charge), debit(charge)))
  })

  const charging = Effect.fnUntraced(function* (charges: Arr.NonEmptyReadonlyArray<Charge>) {
    if (charges.some(isLimited))
      return yield* Effect.die(new Error("A charge with a daily limit needs a transaction; use charge"))
    return yield* ledger.parts(yield* Effect.forEach(charges, payments))
  })

  return { charge, charging, refuse }
})

const makeRefund = Effect.gen(function* () {
  const atomically = yield* Atomically
  const ledger = yield* LedgerRepo
  const repo = yield* WalletsRepo

  return Effect.fn("Wallets.refund")(
    function* ({ payment_reference, ...refund }: Refund) {
      const payment = yield* Effect.flatMap(ledger.payment(payment_reference), Effect.fromOption)
      yield* repo.lock(payment.wallet_id)
      if (yield* ledger.isRefunded(payment.id)) return "already_refunded" as const
      const entry = {
        ...toWallet,
        ...refund,
        id: yield* newTransactionId,
        transaction_type: "refund" as const,
        amount: -payment.amount,
        refunded_transaction_id: payment.id
      }
      const { currency, sandbox, user_id } = payment
      const isBooked = yield* ledger.book({ user_id, currency, entries: [entry], sandbox })
      return isBooked ? ("refunded" as const) : yield* Effect.die(`${payment_reference} could not be refunded`)
    },
    atomically,
    Effect.orDie
  )
})

/** The reasons to refuse a charge. */
export type ChargeRefused = InsufficientBalance | PurchasesStopped | DailySpendLimitReached

/** The money of the accounts. Every change commits or rolls back with the caller's transaction. */
export class Wallets extends Context.Service<
  Wallets,
  {
    readonly balance: (owner: UserId, currency: Money.Currency) => Effect.Effect<Wallet>
    readonly list: (owner: UserId) => Effect.Effect<ReadonlyArray<Wallet>>
    /** Fails when the spender may not spend this amount (micro-dollars) now. Only `charge` guarantees it. */
    readonly withinLimit: (
      spender: Charge["spender"],
      amount_usd: bigint
    ) => Effect.Effect<void, DailySpendLimitReached>
    /** Fails when the purchases of the account are stopped now. Only `charge` guarantees it. */
    readonly mayBuy: (owner: UserId) => Effect.Effect<void, PurchasesStopped>
    readonly charge: (charge: Charge) => Effect.Effect<void, ChargeRefused>
    /**
     * Builds charges without a daily limit, each of another account, as parts of the caller's statement. When a wallet
     * cannot pay, the statement writes nothing for it, and the caller calls `refuse`.
     */
    readonly charging: (charges: Arr.NonEmptyReadonlyArray<Charge>) => Effect.Effect<BookingParts>
    /** Fails with the reason why the charge was not made. */
    readonly refuse: (charge: Charge) => Effect.Effect<never, InsufficientBalance | PurchasesStopped>
    /**
     * Locks the account's wallets until the caller's transaction ends. `purchases_stopped` is true when it cannot buy.
     */
    readonly lock: (owner: UserId) => Effect.Effect<{ readonly purchases_stopped: boolean }>
    /** Debits as much of `at_most` as the wallet has, in the caller's transaction. Returns the debited amount. */
    readonly withdraw: (withdrawal: Withdrawal) => Effect.Effect<bigint>
    /** Refunds a payment in full, once. */
    readonly refund: (refund: Refund) => Effect.Effect<"refunded" | "already_refunded">
    readonly credit: (credit: Credit) => Effect.Effect<void>
  }
>()("app/wallet/Wallets") {
  static readonly layerNoDeps = Layer.effect(
    Wallets,
    Effect.gen(function* () {
      const holding = yield* makeHolding
      const withinLimit = yield* makeWithinLimit
      const mayBuy = yield* makeMayBuy
      const charges = yield* makeCharge({ ...holding, mayBuy, withinLimit })
      return Wallets.of({ ...holding, ...charges, mayBuy, withinLimit, refund: yield* makeRefund })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([LedgerRepo.layer, WalletsRepo.layer]))
}
