import { Effect, Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Addresses } from "../platform/Addresses.ts"
import { PaymentIntentId } from "../wallet/PaymentIntent.ts"
import * as Sandbox from "../wallet/Sandbox.ts"
import { SandboxDecision } from "../wallet/SandboxPayment.ts"
import { SandboxPayments } from "../wallet/SandboxPayments.ts"
import type { Html } from "./Html.ts"
import { contentSecurityPolicy } from "./Layout.ts"
import { choiceInvalid, paymentNotFound, paymentPage } from "./SandboxPaymentPage.ts"

const headers = {
  "content-security-policy": contentSecurityPolicy,
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

const answer = (status: number, { text }: Html) =>
  HttpServerResponse.text(text, { status, headers, contentType: "text/html; charset=utf-8" })

const paymentId = Effect.option(HttpRouter.schemaPathParams(Schema.Struct({ payment_intent_id: PaymentIntentId })))

const choice = Effect.option(HttpServerRequest.schemaBodyUrlParams(Schema.Struct({ outcome: SandboxDecision })))

const sandboxPages = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const payments = yield* SandboxPayments
    const { pathname } = new URL(`${(yield* Addresses).app_url}/sandbox/pay`)
    // One slash in front: a redirect to a path that begins with two leads to another host.
    const path: `/${string}` = `/${pathname.replace(/^\/+/, "")}`

    const found = Effect.gen(function* () {
      const id = yield* paymentId
      return Option.isNone(id) ? Option.none() : yield* payments.find(id.value.payment_intent_id)
    })

    yield* router.add(
      "GET",
      `${path}/:payment_intent_id`,
      Effect.gen(function* () {
        const payment = yield* found
        return Option.isNone(payment) ? answer(404, paymentNotFound) : answer(200, paymentPage(payment.value))
      })
    )

    yield* router.add(
      "POST",
      `${path}/:payment_intent_id`,
      Effect.gen(function* () {
        const payment = yield* found
        if (Option.isNone(payment)) return answer(404, paymentNotFound)
        const chosen = yield* choice
        if (Option.isNone(chosen)) return answer(422, choiceInvalid)
        const { id } = payment.value
        yield* payments.decide(id, chosen.value.outcome)
        return HttpServerResponse.redirect(`${path}/${id}`, { status: 303, headers })
      })
    )
  })
)

/** The pages for people under `{app_url}`. */
export const layer = Layer.unwrap(Effect.map(Sandbox.enabled, (enabled) => (enabled ? sandboxPages : Layer.empty)))
