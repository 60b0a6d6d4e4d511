import { Context, DateTime, Effect, Layer, Option } from "effect"
import { type UserNotFound, type WrongPassword, WrongOtp } from "../../accounts/AccountErrors.ts"
import { AuthLimits } from "../../accounts/AuthLimits.ts"
import { PasswordConfirmation } from "../../accounts/passwords/PasswordConfirmation.ts"
import { SecondFactors } from "../../accounts/second-factor/SecondFactors.ts"
import type { UserId } from "../../accounts/User.ts"
import { Notifications } from "../../notifications/Notifications.ts"
import type { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import * as Money from "../../platform/Money.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { RateLimited } from "../../platform/requests/RateLimit.ts"
import { descriptions } from "../EntryDescription.ts"
import { Returns } from "../Returns.ts"
import { ReversalDebts } from "../ReversalDebts.ts"
import { EmailNotVerified, type PurchasesStopped } from "../WalletErrors.ts"
import { Wallets } from "../Wallets.ts"
import { newTransactionId } from "../WalletTransaction.ts"
import { isOpen, type Payout, type PayoutId } from "./Payout.ts"
import {
  CredentialsChanged,
  PayoutAboveCash,
  PayoutFormUsed,
  PayoutMoved,
  PayoutNotFound,
  PayoutOpen,
  PayoutsOff,
  PayoutTooSmall
} from "./PayoutErrors.ts"
import * as PayoutNotices from "./PayoutNotices.ts"
import { PayoutsRepo } from "./PayoutsRepo.ts"
import * as PayoutTerms from "./PayoutTerms.ts"
import * as ReturnPayout from "./ReturnPayout.ts"

/** A request of a customer. The id comes from the form. */
export interface PayoutRequest extends Pick<Payout, "id" | "user_id" | "amount"> {
  readonly destination: string
  readonly password: string | undefined
  /** A code, which the second factor needs while it is on. */
  readonly otp: string | undefined
}

/** The bounds of a request. */
export interface PayoutOffer {
  /** In micro-dollars. */
  readonly least: bigint
  /** The money that can be withdrawn, in micro-dollars. */
  readonly cash: bigint
}

/** An account whose password was compared. */
type Compared = Effect.Success<ReturnType<PasswordConfirmation["Service"]["compare"]>>

type Unproven = WrongPassword | WrongOtp | RequestInvalid | UserNotFound | RateLimited

type Refused =
  | CredentialsChanged
  | PayoutsOff
  | PayoutOpen
  | PayoutFormUsed
  | PayoutAboveCash
  | PayoutTooSmall
  | EmailNotVerified
  | PurchasesStopped

/** A request waits for this time after a change of the password or the email. */
const changedWithin = { days: 7 }

type Terms = Effect.Success<typeof PayoutTerms.load>

/**
 * The paid money that can leave: not what a card paid in a short time ago, which its owner can dispute, and no payment of which
 * a referrer has a share, because it would earn a share again.
 */
const makeCash = Effect.fnUntraced(function* ({ card_days: days }: Terms) {
  const repo = yield* PayoutsRepo
  const returns = yield* Returns

  return Effect.fnUntraced(function* (owner: UserId) {
    const held = yield* repo.held(owner, DateTime.subtract(yield* DateTime.now, { days }))
    const paid = yield* returns.paidMoney(owner, "USD")
    return paid > held ? paid - held : 0n
  })
})

/** Two sendings of one form. An ended request is not asked for again. */
const isSame = (request: PayoutRequest, known: Payout) =>
  known.user_id === request.user_id &&
  known.amount === request.amount &&
  known.destination === request.destination &&
  (isOpen(known) || known.status === "sent")

const makeBooking = Effect.fnUntraced(function* (terms: Terms) {
  const cashOf = yield* makeCash(terms)
  const notifications = yield* Notifications
  const repo = yield* PayoutsRepo
  const wallets = yield* Wallets

  /** Books the money out of the wallet and into the request, with the account locked. */
  return Effect.fnUntraced(function* ({ amount, destination, id, user_id }: PayoutRequest) {
    yield* wallets.lock(user_id)
    yield* wallets.mayBuy(user_id)
    if (yield* repo.hasOpen(user_id)) return yield* new PayoutOpen({ details: {} })
    const cash = yield* cashOf(user_id)
    if (cash < amount) return yield* new PayoutAboveCash({ details: { left: Money.toDecimal("USD", cash) } })
    const withdrawal_id = yield* newTransactionId
    const debited = yield* wallets.withdraw({
      id: withdrawal_id,
      user_id,
      currency: "USD",
      at_most: amount,
      reference: `payout:${id}`,
      description: descriptions.payout,
      is_sandbox: false,
      cause: "payout"
    })
    if (debited < amount) return yield* Effect.die(new Error(`The wallet has less than its paid money: ${id}`))
    const made = yield* repo.insert({ id, user_id, amount, destination, withdrawal_id }, yield* DateTime.now)
    const payout = yield* Effect.fromOption(made).pipe(Effect.orDie)
    yield* notifications.add([PayoutNotices.requested(payout)])
    return payout
  })
})

const makeRequest = Effect.fnUntraced(function* (terms: Terms) {
  const { areOffered, least } = terms
  const atomically = yield* Atomically
  const book = yield* makeBooking(terms)
  const confirmation = yield* PasswordConfirmation
  const factors = yield* SecondFactors
  const limits = yield* AuthLimits
  const repo = yield* PayoutsRepo

  const prove = Effect.fnUntraced(function* ({ id }: Compared, otp: string | undefined) {
    if (!(yield* factors.isOn(id))) return
    const used = otp === undefined ? Effect.succeed(false) : factors.use(id, otp)
    yield* limits.otp(
      id,
      Effect.filterOrFail(used, Boolean, () => new WrongOtp({ details: {} }))
    )
  })

  const ask = Effect.fnUntraced(function* (account: Compared, request: PayoutRequest) {
    yield* confirmation.lock(account)
    const earlier = Option.getOrUndefined(yield* repo.find(request.id))
    if (earlier !== undefined) return isSame(request, earlier) ? earlier : yield* new PayoutFormUsed({ details: {} })
    yield* prove(account, request.otp)
    if (!account.email_verified) return yield* new EmailNotVerified({ details: {} })
    if (yield* repo.hasNewCredentials(account.id, DateTime.subtract(yield* DateTime.now, changedWithin)))
      return yield* new CredentialsChanged({ details: {} })
    return yield* book(request)
  }, atomically)

  return Effect.fn("Payouts.request")(function* (request: PayoutRequest) {
    const { amount, password, user_id } = request
    if (!areOffered) return yield* new PayoutsOff()
    if (amount < least || amount % PayoutTerms.step > 0n)
      return yield* new PayoutTooSmall({ details: { least: Money.toDecimal("USD", least) } })
    return yield* ask(yield* confirmation.compare({ user_id, password, field: "password" }), request)
  })
})

const makeCancel = Effect.gen(function* () {
  const atomically = yield* Atomically
  const giveBack = yield* ReturnPayout.make
  const repo = yield* PayoutsRepo
  const wallets = yield* Wallets

  return Effect.fn("Payouts.cancel")(function* (owner: UserId, id: PayoutId) {
    yield* wallets.lock(owner)
    const payout = Option.getOrUndefined(yield* repo.lock(id))
    if (payout?.user_id !== owner) return yield* new PayoutNotFound()
    const { status } = payout
    if (status === "cancelled") return payout
    if (status !== "requested") return yield* new PayoutMoved({ details: { status } })
    return yield* giveBack(payout, { status: "cancelled", by: null, customer_text: null })
  }, atomically)
})

/** Withdrawals of paid money: the requests of customers. Staff settle them (`PayoutSettlement`). */
export class Payouts extends Context.Service<
  Payouts,
  {
    /** False when the operator pays nothing out. */
    readonly areOffered: boolean
    readonly offer: (owner: UserId) => Effect.Effect<PayoutOffer>
    /**
     * Asks for money, with the password and, while the second factor is on, a code. The money leaves the wallet at once. The
     * same form again answers the stored request.
     */
    readonly request: (request: PayoutRequest) => Effect.Effect<Payout, Unproven | Refused>
    /** Cancels a request that staff has not approved; its money returns to the wallet. */
    readonly cancel: (owner: UserId, id: PayoutId) => Effect.Effect<Payout, PayoutNotFound | PayoutMoved>
    /** Newest first. */
    readonly list: (owner: UserId, limit: number) => Effect.Effect<ReadonlyArray<Payout>>
  }
>()("app/wallet/Payouts") {
  static readonly layerNoDeps = Layer.effect(
    Payouts,
    Effect.gen(function* () {
      const repo = yield* PayoutsRepo
      const terms = yield* PayoutTerms.load
      const cashOf = yield* makeCash(terms)
      return Payouts.of({
        areOffered: terms.areOffered,
        offer: (owner) => Effect.map(cashOf(owner), (cash) => ({ least: terms.least, cash })),
        request: yield* makeRequest(terms),
        cancel: yield* makeCancel,
        list: (owner, limit) => repo.list({ user_id: owner }, limit)
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      AuthLimits.layer,
      Notifications.layer,
      PasswordConfirmation.layer,
      PayoutsRepo.layer,
      Returns.layer,
      ReversalDebts.layer,
      SecondFactors.layer
    ])
  )
}
