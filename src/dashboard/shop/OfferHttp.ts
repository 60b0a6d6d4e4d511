import { Effect, Option, Result, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { Catalog } from "../../catalog/Catalog.ts"
import type { Offer } from "../../catalog/Offer.ts"
import { OrderPlacement, type Quote } from "../../orders/checkout/OrderPlacement.ts"
import { readFields } from "../../pages/FormFields.ts"
import { money } from "../../pages/Format.ts"
import { type Content, html, text } from "../../pages/Html.ts"
import type { Faults } from "../../pages/Field.ts"
import { makeAnswer, redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { Nonce } from "../../pages/FormSchemas.ts"
import * as Money from "../../platform/Money.ts"
import { PaymentGateways } from "../../wallet/gateways/PaymentGateways.ts"
import { PaymentMethod } from "../../wallet/PaymentMethod.ts"
import { Wallets } from "../../wallet/Wallets.ts"
import type { InsufficientBalance } from "../../wallet/WalletErrors.ts"
import type { PriceChanged } from "../../orders/OrderErrors.ts"
import type { Failure } from "../../pages/FormFaults.ts"
import { idInPath } from "../desk/IdInPath.ts"
import { Pages } from "../desk/Pages.ts"
import { callerOf, type Visit } from "../desk/Visit.ts"
import { boundText } from "../payments/BoundText.ts"
import {
  Chosen,
  Confirmed,
  confirmedMessages,
  faultsOfChoice,
  messages,
  pairsOf,
  type PayWith,
  type Typed,
  typedOf,
  wantedOf
} from "./OfferForm.ts"
import { offerPage } from "./OfferPage.ts"
import { reviewPage } from "./ReviewPage.ts"

const offerNumber = idInPath("offer_id", Schema.String.check(Schema.isPattern(/^\d{1,9}$/)))
const cent = 10_000n
const nonceOf = Schema.decodeUnknownOption(Nonce)

const amountOf = (currency: Money.Currency, decimal: string): bigint => Money.fromDecimal(currency, decimal) ?? 0n

/** The review says what is missing, and leads to a top-up. */
const missing = ({ details: { balance, currency, required } }: InsufficientBalance): Content =>
  text("shop.short_refused", {
    missing: money(currency, amountOf(currency, required) - amountOf(currency, balance))
  })

const otherPrice = ({ details: { currency, total } }: PriceChanged): Content =>
  text("shop.price_changed", { price: html`<b>${money(currency, amountOf(currency, total))}</b>` })

const unverified = ({ pathTo }: Visit): Content =>
  text("shop.unverified", { link: html`<a href="${pathTo("email")}">${text("shop.unverified_link")}</a>` })

/** Says why an order was refused. Nothing was charged. */
const refusal = (failure: Failure | InsufficientBalance | PriceChanged, visit: Visit): Faults => {
  if (failure._tag === "InsufficientBalance" && "details" in failure) return { "": missing(failure) }
  if (failure._tag === "PriceChanged" && "details" in failure) return { "": otherPrice(failure) }
  return failure._tag === "EmailNotVerified" ? { "": unverified(visit) } : faultsOfChoice(failure)
}

/** Makes the function that reads an offer and prices the choices for it. */
const makePriced = Effect.gen(function* () {
  const catalog = yield* Catalog
  const gateways = yield* PaymentGateways
  const placement = yield* OrderPlacement
  const wallets = yield* Wallets
  const methods = PaymentMethod.literals.filter((method) => gateways.get(method) !== undefined)

  const offerInPath = Effect.flatMap(offerNumber, (id) => catalog.offer(Number(id)))

  /** A gateway has a smallest payment. Payments are whole cents. */
  const tooLittle = (way: PayWith, { terms: { currency }, total }: Quote): Faults => {
    const method = methods.find((method) => method === way)
    const minimum = (method && gateways.get(method)?.minimum) ?? 0n
    return total > minimum - cent ? {} : { pay_with: boundText({ kind: "gateway_least", amount: minimum, currency }) }
  }

  const quoteOf = Effect.fnUntraced(function* ({ user }: Visit, offer: Offer, typed: Typed) {
    const chosen = readFields(Chosen, messages, typed)
    if (Result.isFailure(chosen)) return { faults: chosen.failure, quote: undefined }
    return yield* Effect.match(placement.quote({ user_id: user.id }, wantedOf(offer.id, chosen.success)), {
      onFailure: (failure) => ({ faults: faultsOfChoice(failure), quote: undefined }),
      onSuccess: (quote) => {
        const faults = tooLittle(chosen.success.pay_with, quote)
        return { faults, quote: Object.keys(faults).length === 0 ? quote : undefined }
      }
    })
  })

  const priced = Effect.fnUntraced(function* (visit: Visit, offer: Offer, typed: Typed) {
    const { balance } = yield* wallets.balance(visit.user.id, "STAR")
    const funds = { USD: visit.balance, STAR: balance }
    return { ...(yield* quoteOf(visit, offer, typed)), offer, typed, funds, methods }
  })

  return { offerInPath, priced }
})

/** The page of an offer, the review of its order, and the order. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const pages = yield* Pages
    const placement = yield* OrderPlacement
    const { offerInPath, priced } = yield* makePriced
    const path = yield* pathOf("shop")
    const placedPath = yield* pathOf("orders/batch")

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const offer = yield* offerInPath
      return offerPage(visit, yield* priced(visit, offer, typedOf(offer, visit.query)))
    })

    /** The key is in the address, so that a reloaded or copied tab places the same order. */
    const review = Effect.fnUntraced(function* (visit: Visit) {
      const offer = yield* offerInPath
      const typed = typedOf(offer, visit.query)
      const nonce = Option.getOrUndefined(nonceOf(visit.query.get("nonce")))
      if (nonce === undefined) {
        const query = new URLSearchParams([...pairsOf(typed), ["nonce", randomUUID()]])
        return redirect(`${path}/${offer.id}/review?${query.toString()}`)
      }
      const placed = yield* placement.placed(visit.user.id, nonce)
      if (placed.length > 0) return redirect(`${placedPath}/${nonce}`)
      const { quote, ...choice } = yield* priced(visit, offer, typed)
      if (quote === undefined) return yield* answer(422, offerPage(visit, { ...choice, quote }))
      return reviewPage(visit, { ...choice, quote, nonce })
    })

    /** Shows the review again; a choice that has no price any more leads back to the offer. */
    const again = Effect.fnUntraced(function* (visit: Visit, faults: Faults, typed: Submission) {
      const { quote, ...choice } = yield* priced(visit, yield* offerInPath, typed)
      const both = { ...choice, faults: { ...faults, ...choice.faults } }
      if (quote === undefined) return offerPage(visit, { ...both, quote })
      return reviewPage(visit, { ...both, quote, nonce: Option.getOrElse(nonceOf(typed.field("nonce")), randomUUID) })
    })

    const place = Effect.fnUntraced(function* (
      visit: Visit,
      { expected_total, nonce, notes, ...chosen }: typeof Confirmed.Type
    ) {
      // The offer itself may be gone when the form is sent again.
      const offer_id = Number(yield* offerNumber)
      const caller = callerOf(visit)
      const wanted = { ...wantedOf(offer_id, chosen), expected_total, ...(notes !== undefined && { notes }) }
      const placed = `${placedPath}/${nonce}`
      return yield* placement.place(caller, wanted, nonce).pipe(
        Effect.as(redirect(chosen.pay_with.startsWith("wallet") ? placed : `${placed}?pay=now`)),
        // The page of the order shows how the first request goes on.
        Effect.catchTag("RequestStillRunning", () => Effect.succeed(redirect(placed)))
      )
    })

    yield* router.add("GET", `${path}/:offer_id`, pages.show(show))
    yield* router.add("GET", `${path}/:offer_id/review`, pages.show(review))
    yield* router.add(
      "POST",
      `${path}/:offer_id/review`,
      pages.take({ fields: Confirmed, messages: confirmedMessages, again, act: place, told: refusal })
    )
  })
)
