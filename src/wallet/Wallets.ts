import { Context, DateTime, Effect, Layer } from "effect"
import type { UserId } from "../accounts/User.ts"
import { Atomically, type StatementPart } from "../platform/postgres/Atomically.ts"
import * as Money from "../platform/Money.ts"
import { total } from "./LedgerEntry.ts"
import { LedgerRepo } from "./LedgerRepo.ts"
import type { PaymentMethod } from "./PaymentMethod.ts"
import type { Wallet } from "./Wallet.ts"
import { DailySpendLimitReached, InsufficientBalance, PurchasesStopped } from "./WalletErrors.ts"
import { WalletsRepo } from "./WalletsRepo.ts"
import { newTransactionId, type WalletTransactionId } from "./WalletTransaction.ts"

/** A key that pays; its daily limit is in micro-dollars. */
interface PayingKey {
  readonly id: string
  readonly daily_spend_limit_usd: bigint | null
}

const unlimited: PayingKey = { id: "", daily_spend_limit_usd: null }

/** What an account pays for at once: all of it or nothing. */
export interface Charge {
  readonly user_id: UserId
  readonly currency: Money.Currency
  readonly api_key: PayingKey | null
  readonly entries: ReadonlyArray<{
    /** Null when it is not an order that is paid for. */
    readonly order_id: string | null
    /** Names the payment; a reference is paid once, for ever. */
    readonly reference: string
    /** Above zero, in the currency's unit. */
    readonly amount: bigint
    /** The same price in micro-dollars. */
    readonly amount_usd: bigint
    readonly description: string
  }>
}

/** Money that a gateway takes back. */
export interface Withdrawal {
  readonly id: WalletTransactionId
  readonly user_id: UserId
  readonly currency: Money.Currency
  /** Above zero. */
  readonly at_most: bigint
  readonly reference: string
  readonly description: string
  /** True takes sandbox money only; false takes everything else. */
  readonly is_sandbox: boolean
}

export interface Refund {
  readonly order_id: string | null
  /** Of the payment that is returned. */
  readonly payment_reference: string
  readonly reference: string
  readonly description: string
}

/** Money that came in: from outside, or as a reward. */
export interface Credit {
  readonly id: WalletTransactionId
  readonly user_id: UserId
  readonly currency: Money.Currency
  readonly amount: bigint
  readonly payment_method: PaymentMethod | "wallet"
  /** The payment's id outside; null when there is none. */
  readonly external_id: string | null
  readonly reference: string
  readonly description: string
  /** True for money of the sandbox, and for a share of it: nobody paid it. */
  readonly is_sandbox: boolean
}

const fromWallet = { payment_method: "wallet", external_id: null, refunded_transaction_id: null } as const
const toWallet = { ...fromWallet, api_key_id: null, amount_usd: null } as const

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
    const booked = { ...fromWallet, ...entry, amount: -amount, amount_usd: null, api_key_id: null, order_id: null }
    const entries = [{ ...booked, transaction_type: "withdrawal" as const }]
    if (yield* ledger.book({ user_id, currency, entries, sandbox: is_sandbox ? -amount : 0n })) return amount
    return yield* Effect.die(`${entry.reference} could not be withdrawn`)
  })

  return { list, balance, credit, lock, withdraw }
})

/** Exact only while the account's wallets are locked: keys pay from several places at once. */
const makeWithinLimit = Effect.gen(function* () {
  const ledger = yield* LedgerRepo

  return Effect.fn("Wallets.withinLimit")(function* (api_key: Charge["api_key"], amount_usd: bigint) {
    const { id, daily_spend_limit_usd: limit } = api_key ?? unlimited
    if (limit === null) return
    const spent = yield* ledger.spentByKey(id, DateTime.startOf(yield* DateTime.now, "day"))
    if (spent + amount_usd <= limit) return
    return yield* new DailySpendLimitReached({
      details: { limit: Money.toDecimal("USD", limit), spent: Money.toDecimal("USD", spent) }
    })
  })
})

/** Whether a charge must be held against the daily limit of the key that pays. */
export const isLimited = ({ api_key }: Pick<Charge, "api_key">) => (api_key ?? unlimited).daily_spend_limit_usd !== null

/** Exact only while the account's wallets are locked. */
const makeMayBuy = Effect.gen(function* () {
  const repo = yield* WalletsRepo

  return Effect.fn("Wallets.mayBuy")(function* (owner: UserId) {
    if (yield* repo.isStopped(owner)) return yield* new PurchasesStopped({ details: {} })
  })
})

interface Parts extends Effect.Success<typeof makeHolding> {
  readonly mayBuy: Effect.Success<typeof makeMayBuy>
  readonly withinLimit: Effect.Success<typeof makeWithinLimit>
}

const makeCharge = Effect.fnUntraced(function* ({ balance, mayBuy, withinLimit }: Parts) {
  const atomically = yield* Atomically
  const ledger = yield* LedgerRepo
  const repo = yield* WalletsRepo

  const payments = Effect.fnUntraced(function* ({ api_key, currency, entries, user_id }: Charge) {
    const booked = yield* Effect.forEach(entries, (entry) =>
      Effect.map(newTransactionId, (id) => ({
        ...entry,
        ...fromWallet,
        id,
        transaction_type: "payment" as const,
        amount: -entry.amount,
        api_key_id: api_key?.id ?? null
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

  const enforceLimit = Effect.fnUntraced(function* ({ api_key, entries, user_id }: Charge) {
    yield* repo.lockOf(user_id)
    const cost = entries.reduce((sum, { amount_usd }) => sum + amount_usd, 0n)
    yield* withinLimit(api_key, cost)
  })

  const charge = Effect.fnUntraced(function* (charge: Charge) {
    if (!isLimited(charge)) return yield* debit(charge)
    return yield* atomically(Effect.andThen(enforceLimit(charge), debit(charge)))
  })

  const charging = Effect.fnUntraced(function* (charge: Charge, when: StatementPart) {
    if (isLimited(charge)) return yield* Effect.die(new Error("a key's daily limit takes a transaction to hold"))
    return yield* ledger.charging(yield* payments(charge), when)
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

/** Why an account does not pay. */
export type ChargeRefused = InsufficientBalance | PurchasesStopped | DailySpendLimitReached

/** The money of the accounts. What a caller does in the same `Atomically` stands or falls with it. */
export class Wallets extends Context.Service<
  Wallets,
  {
    readonly balance: (owner: UserId, currency: Money.Currency) => Effect.Effect<Wallet>
    readonly list: (owner: UserId) => Effect.Effect<ReadonlyArray<Wallet>>
    /** Whether a key may spend so many micro-dollars as things stand; only `charge` can promise it. */
    readonly withinLimit: (
      api_key: Charge["api_key"],
      amount_usd: bigint
    ) => Effect.Effect<void, DailySpendLimitReached>
    /** Fails when the account may not buy at this moment; only `charge` can promise it. */
    readonly mayBuy: (owner: UserId) => Effect.Effect<void, PurchasesStopped>
    readonly charge: (charge: Charge) => Effect.Effect<void, ChargeRefused>
    /**
     * The same as parts of a statement that does more, of a charge that no daily limit holds: made when `when` holds and
     * there is money enough, which `isCharged` says there. When there is not, the caller is to `refuse`.
     */
    readonly charging: (
      charge: Charge,
      when: StatementPart
    ) => Effect.Effect<{ readonly parts: StatementPart; readonly isCharged: StatementPart }>
    readonly refuse: (charge: Charge) => Effect.Effect<never, InsufficientBalance | PurchasesStopped>
    /** Locks the account's wallets until the caller's transaction ends; says whether its purchases are stopped. */
    readonly lock: (owner: UserId) => Effect.Effect<{ readonly purchases_stopped: boolean }>
    /** Takes as much of it as the wallet has, in the caller's transaction; answers how much. */
    readonly withdraw: (withdrawal: Withdrawal) => Effect.Effect<bigint>
    /** Returns a payment in full, once. */
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
