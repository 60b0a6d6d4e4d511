import { Schema, SchemaGetter } from "effect"
import { type Offer, ProxyProtocol } from "../../catalog/Offer.ts"
import type { AgreementError } from "../../orders/checkout/AgreeOrder.ts"
import { BandwidthGb, City, PromoCodeText, Quantity, type WantedOrder } from "../../orders/checkout/OrderRequest.ts"
import { isMobileRotating } from "../../orders/Order.ts"
import { ExpectedTotal, Notes } from "../../orders/OrderFields.ts"
import type { Faults } from "../../pages/Field.ts"
import { Decimal, Nonce } from "../../pages/FormSchemas.ts"
import { counted, text } from "../../pages/Html.ts"
import type { Currency } from "../../platform/Money.ts"
import { currencyOf, PaymentMethod } from "../../wallet/PaymentMethod.ts"
import type { Visit } from "../desk/Visit.ts"
import { boundText } from "../payments/BoundText.ts"
import { PaymentOutOfBounds } from "../../wallet/payments/PaymentOutOfBounds.ts"
import { PromoCodeRefused } from "../../wallet/promo-codes/PromoCodeRefused.ts"
import { type Failure, faultsOf } from "../../pages/FormFaults.ts"
import { refusalText } from "./PromoCodeText.ts"

/** The ways to pay for an order: the wallet in one of its currencies, or a payment from outside. */
export const PayWith = Schema.Literals(["wallet", "wallet_stars", ...PaymentMethod.literals])
export type PayWith = typeof PayWith.Type

export const isFromWallet = (way: PayWith) => way === "wallet" || way === "wallet_stars"

export const currencyWith = (way: PayWith): Currency => {
  if (way === "wallet_stars") return "STAR"
  return way === "wallet" ? "USD" : currencyOf(way)
}

const Whole = Schema.Trim.check(Schema.isPattern(/^\d{1,9}$/)).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform(Number),
    encode: SchemaGetter.transform(String)
  })
)

/** The fields of an offer's form. Those of an order have its names, so that the faults of the services fit. */
const fields = {
  period_days: Schema.optionalKey(Whole),
  tarification_index: Schema.optionalKey(Whole),
  quantity: Whole.pipe(Schema.decodeTo(Quantity)),
  bandwidth_gb: Schema.optionalKey(Whole.pipe(Schema.decodeTo(BandwidthGb))),
  city: Schema.optionalKey(City),
  protocol: Schema.optionalKey(ProxyProtocol),
  promo_code: Schema.optionalKey(PromoCodeText),
  pay_with: PayWith,
  auto_renew: Schema.optionalKey(Schema.Literal("on"))
}

/** The choices for an offer, as its address has them. */
export const Chosen = Schema.Struct(fields)

/** The choices with the consent to their price. */
export const Confirmed = Schema.Struct({
  ...fields,
  notes: Schema.optionalKey(Notes),
  expected_total: Decimal.pipe(Schema.decodeTo(ExpectedTotal)),
  nonce: Nonce
})

export const messages = {
  period_days: text("shop.period_wrong"),
  tarification_index: text("shop.period_wrong"),
  quantity: text("shop.quantity_wrong"),
  bandwidth_gb: text("shop.traffic_wrong"),
  city: text("shop.city_wrong"),
  protocol: text("shop.protocol_wrong"),
  promo_code: text("shop.promo_code_wrong"),
  pay_with: text("shop.pay_with_wrong"),
  auto_renew: text("shop.auto_renew_wrong")
} as const

export const confirmedMessages = {
  ...messages,
  notes: text("shop.notes_wrong"),
  expected_total: text("form.not_confirmed"),
  nonce: text("form.not_confirmed")
} as const

/** The texts of a form. */
export interface Typed {
  readonly field: (name: string) => string | undefined
  readonly all: (name: string) => ReadonlyArray<string>
}

/** The offers that are sold by tariff. All others are sold by period. */
export const isByTariff = ({ kind, mode }: Offer) => isMobileRotating({ mode, proxy_type: kind })

/** The choices in an address. Those that a first visit has not made are the usual ones. */
export const typedOf = (offer: Offer, query: URLSearchParams): Typed => {
  const usual: Readonly<Record<string, string>> = {
    quantity: "1",
    pay_with: "wallet",
    ...(isByTariff(offer) && { tarification_index: "0" })
  }
  const all = (name: string) => {
    const given = query.getAll(name).filter((text) => text !== "")
    const otherwise = usual[name]
    return given.length > 0 || otherwise === undefined ? given : [otherwise]
  }
  return { all, field: (name) => all(name)[0] }
}

/** The choices as pairs of names and texts, for an address or for hidden fields. */
export const pairsOf = ({ all }: Typed): ReadonlyArray<[name: string, text: string]> =>
  Object.keys(fields).flatMap((name) => all(name).map((text): [string, string] => [name, text]))

/** The path of an offer with these choices. */
export const addressOf = ({ pathTo }: Pick<Visit, "pathTo">, { id }: Offer, typed: Typed): string =>
  `${pathTo(`shop/${id}`)}?${new URLSearchParams([...pairsOf(typed)]).toString()}`

/** The path of the review of an order, which the nonce places once. */
export const reviewAddress = (
  { pathTo }: Pick<Visit, "pathTo">,
  { id }: Offer,
  typed: Typed,
  nonce: string
): string => {
  const notes = typed.all("notes").map((note): [string, string] => ["notes", note])
  return `${pathTo(`shop/${id}/review`)}?${new URLSearchParams([...pairsOf(typed), ...notes, ["nonce", nonce]]).toString()}`
}

/** The order that the choices ask for. */
export const wantedOf = (offer_id: number, { auto_renew, pay_with, ...chosen }: typeof Chosen.Type): WantedOrder => ({
  ...chosen,
  offer_id,
  auto_renew: auto_renew !== undefined,
  payment_method: pay_with === "wallet_stars" ? "wallet" : pay_with,
  payment_currency: currencyWith(pay_with)
})

/** The fields of an order that one field of the form stands for. */
const standIns: Readonly<Record<string, string>> = { payment_method: "pay_with", payment_currency: "pay_with" }

const outOfStock = (left: number) => (left === 0 ? text("shop.sold_out_fault") : counted("shop.only_left", left))

/** What is wrong with the choices, at the fields to which it belongs. */
export const faultsOfChoice = (failure: Failure | AgreementError): Faults => {
  if (failure._tag === "OfferOutOfStock" && "details" in failure) return { quantity: outOfStock(failure.details.left) }
  if (failure instanceof PromoCodeRefused) return { promo_code: refusalText(failure.refusal) }
  if (failure instanceof PaymentOutOfBounds) return { pay_with: boundText(failure.bound) }
  const found = faultsOf(failure)
  if (failure._tag !== "OfferMismatch")
    return Object.fromEntries(Object.entries(found).map(([name, fault]) => [standIns[name] ?? name, fault]))
  // The service names the field before the colon.
  const [, name = ""] = /^(\w+): /.exec(String(failure.detail)) ?? []
  const field = standIns[name] ?? name
  const told: Faults = { ...messages, pay_with: text("shop.not_for_stars") }
  return Object.hasOwn(told, field) ? { [field]: told[field] } : found
}
