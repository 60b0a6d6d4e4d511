import { Schema } from "effect"
import type { Currency } from "../platform/Money.ts"

/** The ways money comes in from outside. */
export const PaymentMethod = Schema.Literals(["crypto_gateway", "card_gateway", "messenger_stars"])
export type PaymentMethod = typeof PaymentMethod.Type

/** Messenger stars are STAR; the other gateways take dollars. */
export const currencyOf = (method: PaymentMethod): Currency => (method === "messenger_stars" ? "STAR" : "USD")
