import { Schema } from "effect"
import { Currency } from "../platform/Money.ts"
import * as Money from "../platform/Money.ts"
import { heldWallets } from "../orders/QuoteView.ts"
import type { Wallet } from "../wallet/Wallet.ts"

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

interface Price {
  /** In units of `currency`. */
  readonly total: bigint
  readonly currency: Currency
  readonly tool: string
}

const shortfall = ({ currency, total }: Price, wallets: ReadonlyArray<Wallet>): string => {
  const balance = wallets.find((wallet) => wallet.currency === currency)?.balance ?? 0n
  return balance >= total
    ? ""
    : ` The ${currency} wallet holds ${Money.toDecimal(currency, balance)} and lacks ${Money.toDecimal(currency, total - balance)}: until a person makes a deposit, that call answers 409 insufficient_balance.`
}

/** A price beside what the account holds, paid from its wallet. */
export const fromWallet = (price: Price, wallets: ReadonlyArray<Wallet>) => ({
  ...outside(price, wallets),
  next_step: `Nothing was charged. To buy, call ${price.tool} again with the same arguments and confirm=true.${shortfall(price, wallets)}`
})

/** The same, paid through a payment page. */
export const outside = ({ currency, tool, total }: Price, wallets: ReadonlyArray<Wallet>) => ({
  dry_run: true as const,
  total: Money.toNumber(currency, total),
  currency,
  wallets: heldWallets(wallets),
  next_step: `Nothing was charged. To order, call ${tool} again with the same arguments and confirm=true: the answer has a payment_url, where a person pays within 60 minutes.`
})
