import { DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import * as FormText from "../../platform/fields/FormText.ts"
import { type PaymentIntent, PaymentIntentId } from "../../wallet/PaymentIntent.ts"
import { Payments } from "../../wallet/payments/Payments.ts"
import * as Sandbox from "../../wallet/Sandbox.ts"
import { SandboxDecision } from "../../wallet/SandboxPayment.ts"
import { SandboxPayments } from "../../wallet/payments/SandboxPayments.ts"
import { paymentChoiceInvalid, paymentNotFound } from "../../pages/MessagePages.ts"
import { makeAnswer, redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { gatewayAddress } from "./PaymentDetails.ts"
import * as PaymentWays from "./PaymentWays.ts"
import { leadingPage, paymentPage } from "./PaymentPage.ts"
import * as SandboxPaymentPage from "./SandboxPaymentPage.ts"

/** Reloads a waiting page every 5 seconds. */
const reload = { headers: { refresh: "5" } }

const paymentId = Effect.option(HttpRouter.schemaPathParams(Schema.Struct({ payment_intent_id: PaymentIntentId })))

const decodeOutcomes = Schema.decodeUnknownOption(Schema.Tuple([SandboxDecision]))

const choice = Effect.gen(function* () {
  const { text } = yield* HttpServerRequest.HttpServerRequest
  const form = FormText.parse(yield* Effect.orDie(text))
  return Option.map(decodeOutcomes(form.getAll("outcome")), ([outcome]) => outcome)
})

/** The time after a request to its gateway in which the page of a payment leads on to the gateway. */
const freshFor = Duration.seconds(10)

/**
 * The page of the gateway to which a payment leads on; undefined when the customer comes back from there or by an old link.
 * Browsers block a redirect from a form to another host (`form-action`), so a form of this service redirects here, and
 * this page leads on by its `Refresh` header.
 */
const nextAddress = Effect.fnUntraced(function* (payment: PaymentIntent) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  if (payment.status !== "pending" || headers["sec-fetch-site"] !== "same-origin") return undefined
  const isFresh = DateTime.isLessThan(yield* DateTime.now, DateTime.addDuration(payment.updated_at, freshFor))
  return isFresh ? gatewayAddress(payment) : undefined
})

const sandboxPages = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const payments = yield* SandboxPayments
    const path = yield* pathOf("sandbox/pay")
    const waysOf = yield* PaymentWays.make

    const found = Effect.gen(function* () {
      const id = yield* paymentId
      return Option.isNone(id) ? Option.none() : yield* payments.find(id.value.payment_intent_id)
    })

    yield* router.add(
      "GET",
      `${path}/:payment_intent_id`,
      Effect.gen(function* () {
        const payment = yield* found
        return yield* Option.isNone(payment)
          ? answer(404, paymentNotFound)
          : answer(200, SandboxPaymentPage.paymentPage(payment.value, yield* waysOf(payment.value)))
      })
    )

    yield* router.add(
      "POST",
      `${path}/:payment_intent_id`,
      Effect.gen(function* () {
        const payment = yield* found
        if (Option.isNone(payment)) return yield* answer(404, paymentNotFound)
        const chosen = yield* choice
        if (Option.isNone(chosen)) return yield* answer(422, paymentChoiceInvalid)
        const { id } = payment.value
        yield* payments.decide(id, chosen.value)
        return redirect(`${path}/${id}`)
      })
    )
  })
)

/** These pages need no sign-in: the id of a payment is enough to read its state. */
const paymentPages = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const payments = yield* Payments
    const waysOf = yield* PaymentWays.make
    yield* router.add(
      "GET",
      `${yield* pathOf("payments")}/:payment_intent_id`,
      Effect.gen(function* () {
        const id = yield* paymentId
        const found = Option.isNone(id) ? Option.none() : yield* payments.find(id.value.payment_intent_id)
        if (Option.isNone(found)) return yield* answer(404, paymentNotFound)
        const payment = found.value
        const next = yield* nextAddress(payment)
        if (next !== undefined)
          return yield* answer(200, leadingPage(payment, next), { headers: { refresh: `0; url=${next}` } })
        return yield* answer(
          200,
          paymentPage(payment, yield* waysOf(payment)),
          payment.status === "pending" ? reload : {}
        )
      })
    )
  })
)

const sandboxPagesIfOn = Layer.unwrap(Effect.map(Sandbox.enabled, (enabled) => (enabled ? sandboxPages : Layer.empty)))

/** The pages of sandbox payments, and the page to which a gateway sends the customer back. */
export const layer = Layer.merge(paymentPages, sandboxPagesIfOn)
