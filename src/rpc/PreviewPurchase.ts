import { Effect, Schema } from "effect"
import type { Caller } from "../accounts/Caller.ts"
import { heldWallets } from "../orders/checkout/QuoteView.ts"
import { Currency } from "../platform/Money.ts"
import * as Money from "../platform/Money.ts"
import { Payments } from "../wallet/payments/Payments.ts"
import { spenderOf } from "../wallet/Spender.ts"
import { VerifiedBuyers } from "../wallet/VerifiedBuyers.ts"
import type { Wallet } from "../wallet/Wallet.ts"
import { Wallets } from "../wallet/Wallets.ts"

const fields = {
  dry_run: Schema.Literal(true),
  total: Schema.Finite.annotate({ description: "Current price, in `currency`" }),
  currency: Currency,
  wallets: Schema.Array(Schema.Struct({ wallet_id: Schema.String, currency: Currency, balance: Schema.Finite })),
  next_step: Schema.String.annotate({
    description: "The call that makes the purchase, and the reasons why the service would refuse it now"
  })
}

/** The answer of a dry run: the price and the account's wallets. It charges nothing. */
export const previewOf = <const Fields extends Schema.Struct.Fields>(more: Fields) =>
  Schema.Struct({ ...fields, ...more })

/** The fields that a purchase adds to its answer. */
export const bought = {
  dry_run: Schema.Literal(false),
  replayed: Schema.Boolean.annotate({
    description: "True when an earlier call with this idempotency_key bought it. This is the answer of that call"
  })
}

interface Price {
  /** In units of `currency`, and in micro-dollars. */
  readonly total: bigint
  readonly total_usd: bigint
  readonly currency: Currency
  readonly tool: string
  /** True for a purchase that the operator may reserve for buyers with a verified email. */
  readonly fromVerified: boolean
}

/** The price of a purchase that a person pays on a page. */
interface OutsidePrice extends Price {
  readonly quantity: number
}

const refused = (code: string, why: string) => ` The service would refuse it (${code}): ${why}`

const shortfall = ({ currency, total }: Price, wallets: ReadonlyArray<Wallet>): string => {
  const balance = wallets.find((wallet) => wallet.currency === currency)?.balance ?? 0n
  return balance >= total
    ? ""
    : refused(
        "409 insufficient_balance",
        `the ${currency} wallet holds ${Money.toDecimal(currency, balance)} and lacks ${Money.toDecimal(currency, total - balance)}; a person has to make a deposit.`
      )
}

const priced = ({ currency, total }: Price, wallets: ReadonlyArray<Wallet>) => ({
  dry_run: true as const,
  total: Money.toNumber(currency, total),
  currency,
  wallets: heldWallets(wallets)
})

/** Names the reasons, besides the balance, why the service would refuse the purchase now. Empty without such a reason. */
const makeObstacles = Effect.gen(function* () {
  const buyers = yield* VerifiedBuyers
  const payments = yield* Payments
  const wallets = yield* Wallets
  const none = Effect.succeed("")

  const unverified = (caller: Caller["Service"], { fromVerified }: Price) =>
    Effect.match(fromVerified ? buyers.admit(caller) : none, {
      onSuccess: () => "",
      onFailure: () =>
        refused("403 email_not_verified", "a person must verify the account's email with the token in the mail.")
    })

  const stopped = ({ user_id }: Caller["Service"], { total }: Price) =>
    Effect.match(total > 0n ? wallets.mayBuy(user_id) : none, {
      onSuccess: () => "",
      onFailure: () =>
        refused(
          "403 purchases_stopped",
          "a payment was refunded or disputed; only the operator can allow purchases again."
        )
    })

  const overLimit = (caller: Caller["Service"], { total_usd }: Price) =>
    Effect.match(wallets.withinLimit(spenderOf(caller), total_usd), {
      onSuccess: () => "",
      onFailure: ({ details: { limit, spent } }) =>
        refused(
          "403 daily_spend_limit_reached",
          `the API key or the app has spent ${spent} USD of its daily limit of ${limit} USD; the limit resets at midnight UTC.`
        )
    })

  const unpaid = ({ user_id }: Caller["Service"], { quantity }: OutsidePrice) =>
    Effect.match(payments.withinBounds(user_id, quantity), {
      onSuccess: () => "",
      onFailure: ({ details: { limit, reason } }) =>
        refused(
          `409 ${reason}`,
          reason === "too_many_open_payments"
            ? `${limit} payments of the account are open; each expires within 60 minutes.`
            : `an account may leave at most ${limit} orders and deposits unpaid within a day.`
        )
    })

  return { unverified, stopped, overLimit, unpaid }
})

/** Shows a price beside the account's wallets, and the reasons why the service would refuse the purchase now. */
export const make = Effect.gen(function* () {
  const { overLimit, stopped, unpaid, unverified } = yield* makeObstacles
  const wallets = yield* Wallets

  const fromWallet = Effect.fnUntraced(function* (caller: Caller["Service"], price: Price) {
    const held = yield* wallets.list(caller.user_id)
    const found = yield* Effect.all([unverified(caller, price), stopped(caller, price), overLimit(caller, price)])
    const obstacles = `${found.join("")}${shortfall(price, held)}`
    return {
      ...priced(price, held),
      next_step: `Nothing was charged. To buy, call ${price.tool} again with the same arguments and confirm=true. If the idempotency_key belongs to an earlier purchase, the answer is that purchase and nothing is bought.${obstacles}`
    }
  })

  /** A person pays on a page, so a daily limit does not apply: it limits wallets only. */
  const outside = Effect.fnUntraced(function* (caller: Caller["Service"], price: OutsidePrice) {
    const found = yield* Effect.all([unverified(caller, price), stopped(caller, price), unpaid(caller, price)])
    return {
      ...priced(price, yield* wallets.list(caller.user_id)),
      next_step: `Nothing was charged. To order, call ${price.tool} again with the same arguments and confirm=true: the answer has a payment_url, where a person pays within 60 minutes.${found.join("")}`
    }
  })

  return { fromWallet, outside }
})
