import { Effect, Schema } from "effect"
import type { Caller } from "../accounts/Caller.ts"
import { payingKey } from "../orders/PayingKey.ts"
import { heldWallets } from "../orders/QuoteView.ts"
import { Currency } from "../platform/Money.ts"
import * as Money from "../platform/Money.ts"
import type { Wallet } from "../wallet/Wallet.ts"
import { Wallets } from "../wallet/Wallets.ts"

const fields = {
  dry_run: Schema.Literal(true),
  total: Schema.Finite.annotate({ description: "What it costs at this moment, in `currency`" }),
  currency: Currency,
  wallets: Schema.Array(Schema.Struct({ wallet_id: Schema.String, currency: Currency, balance: Schema.Finite })),
  next_step: Schema.String.annotate({ description: "What to call to buy it, and what stands in the way" })
}

/** What a spending tool answers before it is confirmed: the price and the account's wallets; nothing is charged. */
export const previewOf = <const Fields extends Schema.Struct.Fields>(more: Fields) =>
  Schema.Struct({ ...fields, ...more })

/** What it answers afterwards, beside what was bought. */
export const bought = {
  dry_run: Schema.Literal(false),
  replayed: Schema.Boolean.annotate({
    description: "An earlier call with this idempotency_key bought it; this is the answer to that"
  })
}

interface Price {
  /** In units of `currency`, and in micro-dollars. */
  readonly total: bigint
  readonly total_usd: bigint
  readonly currency: Currency
  readonly tool: string
}

const shortfall = ({ currency, total }: Price, wallets: ReadonlyArray<Wallet>): string => {
  const balance = wallets.find((wallet) => wallet.currency === currency)?.balance ?? 0n
  return balance >= total
    ? ""
    : ` It would be refused (409 insufficient_balance) until a person makes a deposit: the ${currency} wallet holds ${Money.toDecimal(currency, balance)} and lacks ${Money.toDecimal(currency, total - balance)}.`
}

const priced = ({ currency, total }: Price, wallets: ReadonlyArray<Wallet>) => ({
  dry_run: true as const,
  total: Money.toNumber(currency, total),
  currency,
  wallets: heldWallets(wallets)
})

/** A price beside what the account holds, and whether the caller could pay it at this moment. */
export const make = Effect.gen(function* () {
  const wallets = yield* Wallets

  const overLimit = (caller: Caller["Service"], { total_usd }: Price) =>
    wallets.withinLimit(payingKey(caller), total_usd).pipe(
      Effect.as(""),
      Effect.catchTag("DailySpendLimitReached", ({ details: { limit, spent } }) =>
        Effect.succeed(
          ` It would be refused (403 daily_spend_limit_reached): the API key has spent ${spent} of the ${limit} USD that it may spend in a day; the day ends at midnight UTC.`
        )
      )
    )

  const fromWallet = Effect.fnUntraced(function* (caller: Caller["Service"], price: Price) {
    const held = yield* wallets.list(caller.user_id)
    const obstacles = `${yield* overLimit(caller, price)}${shortfall(price, held)}`
    return {
      ...priced(price, held),
      next_step: `Nothing was charged. To buy, call ${price.tool} again with the same arguments and confirm=true; with an idempotency_key that has bought something, it answers that and buys nothing.${obstacles}`
    }
  })

  /** Paid on a page, by a person: the limit of a key is about the wallets. */
  const outside = Effect.fnUntraced(function* ({ user_id }: Caller["Service"], price: Price) {
    return {
      ...priced(price, yield* wallets.list(user_id)),
      next_step: `Nothing was charged. To order, call ${price.tool} again with the same arguments and confirm=true: the answer has a payment_url, where a person pays within 60 minutes.`
    }
  })

  return { fromWallet, outside }
})
