import { Effect, Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Addresses } from "../platform/Addresses.ts"
import { PaymentIntentId } from "../wallet/PaymentIntent.ts"
import { Payments } from "../wallet/Payments.ts"
import * as Sandbox from "../wallet/Sandbox.ts"
import { SandboxDecision } from "../wallet/SandboxPayment.ts"
import { SandboxPayments } from "../wallet/SandboxPayments.ts"
import type { Html } from "./Html.ts"
import { contentSecurityPolicy } from "./Layout.ts"
import { paymentNotFound } from "./PaymentDetails.ts"
import { paymentPage } from "./PaymentPage.ts"
import * as SandboxPaymentPage from "./SandboxPaymentPage.ts"

const headers = {
  "content-security-policy": contentSecurityPolicy,
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

/** How often a page that waits for something is loaded again. */
const reload = { refresh: "5" }

const answer = (status: number, { text }: Html, more: Record<string, string> = {}) =>
  HttpServerResponse.text(text, { status, headers: { ...headers, ...more }, contentType: "text/html; charset=utf-8" })

/** Where pages are on this host. One slash in front: a redirect to a path with two leads to another host. */
const pathOf = Effect.fnUntraced(function* (name: string) {
  const { pathname } = new URL(`${(yield* Addresses).app_url}/${name}`)
  const path: `/${string}` = `/${pathname.replace(/^\/+/, "")}`
  return path
})

const paymentId = Effect.option(HttpRouter.schemaPathParams(Schema.Struct({ payment_intent_id: PaymentIntentId })))

const choice = Effect.option(HttpServerRequest.schemaBodyUrlParams(Schema.Struct({ outcome: SandboxDecision })))

const sandboxPages = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const payments = yield* SandboxPayments
    const path = yield* pathOf("sandbox/pay")

    const found = Effect.gen(function* () {
      const id = yield* paymentId
      return Option.isNone(id) ? Option.none() : yield* payments.find(id.value.payment_intent_id)
    })

    yield* router.add(
      "GET",
      `${path}/:payment_intent_id`,
      Effect.gen(function* () {
        const payment = yield* found
        return Option.isNone(payment)
          ? answer(404, paymentNotFound)
          : answer(200, SandboxPaymentPage.paymentPage(payment.value))
      })
    )

    yield* router.add(
      "POST",
      `${path}/:payment_intent_id`,
      Effect.gen(function* () {
        const payment = yield* found
        if (Option.isNone(payment)) return answer(404, paymentNotFound)
        const chosen = yield* choice
        if (Option.isNone(chosen)) return answer(422, SandboxPaymentPage.choiceInvalid)
        const { id } = payment.value
        yield* payments.decide(id, chosen.value.outcome)
        return HttpServerResponse.redirect(`${path}/${id}`, { status: 303, headers })
      })
    )
  })
)

/** Whoever has the id of a payment may read what became of it. */
const paymentPages = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const payments = yield* Payments
    yield* router.add(
      "GET",
      `${yield* pathOf("payments")}/:payment_intent_id`,
      Effect.gen(function* () {
        const id = yield* paymentId
        const payment = Option.isNone(id) ? Option.none() : yield* payments.find(id.value.payment_intent_id)
        if (Option.isNone(payment)) return answer(404, paymentNotFound)
        return answer(200, paymentPage(payment.value), payment.value.status === "pending" ? reload : {})
      })
    )
  })
)

const front = HttpRouter.add("GET", "/", HttpServerResponse.redirect("/docs", { status: 302 }))

const optional = Layer.unwrap(Effect.map(Sandbox.enabled, (enabled) => (enabled ? sandboxPages : Layer.empty)))

/** The pages for people: under `{app_url}`, and the way from the front door to the documentation. */
export const layer = Layer.mergeAll(front, paymentPages, optional)
