import { Schema } from "effect"
import { ProxyKind } from "../../catalog/Offer.ts"
import * as Money from "../../platform/Money.ts"
import type { Wallet } from "../../wallet/Wallet.ts"
import type { Quote } from "./OrderPlacement.ts"

const HeldWallet = Schema.Struct({ wallet_id: Schema.String, currency: Money.Currency, balance: Schema.Finite })

/** The price of an order, and the wallets that can pay it. */
export const QuoteView = Schema.Struct({
  total: Schema.Finite.annotate({ examples: [9] }),
  currency: Money.Currency,
  unit_price: Schema.Finite.annotate({ examples: [4.5] }),
  quantity: Schema.Int.annotate({ examples: [2] }),
  discount: Schema.Finite.annotate({ description: "Discount of the promo code, in `currency`", examples: [0] }),
  offer: Schema.Struct({ id: Schema.Int, name: Schema.String, kind: ProxyKind, country_code: Schema.String }),
  wallets: Schema.Array(HeldWallet)
}).annotate({ identifier: "Quote" })

/** The wallets of an account, as answered beside a price. */
export const heldWallets = (wallets: ReadonlyArray<Wallet>) =>
  wallets.map(({ balance, currency, id }) => ({ wallet_id: id, currency, balance: Money.toNumber(currency, balance) }))

export const quoteView = (
  { discount, offer, quantity, terms, total }: Quote,
  wallets: ReadonlyArray<Wallet>
): typeof QuoteView.Type => ({
  total: Money.toNumber(terms.currency, total),
  currency: terms.currency,
  unit_price: Money.toNumber(terms.currency, terms.unit_price),
  quantity,
  discount: Money.toNumber(terms.currency, discount),
  offer: { id: offer.id, name: offer.name, kind: offer.kind, country_code: offer.country_code },
  wallets: heldWallets(wallets)
})
