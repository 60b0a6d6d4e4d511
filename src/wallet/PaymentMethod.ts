import { Schema } from "effect"
import type { Currency } from "../platform/Money.ts"

/** The ways to pay from outside the wallet. */
export const PaymentMethod = Schema.Literals(["crypto_gateway", "card_gateway", "messenger_stars"])
export type PaymentMethod = typeof PaymentMethod.Type

/** Messenger stars pay in STAR; the other methods pay in US dollars. */
export const currencyOf = (method: PaymentMethod): Currency => (method === "messenger_stars" ? "STAR" : "USD")
