import { createHmac } from "node:crypto"
import { callOf, type VendorServer } from "./VendorServer.ts"

export const webhookSecret = "whsec_of_the_tests"

/** `Stripe-Signature` as docs.stripe.com/webhooks describes it. */
export const signatureOf = (body: string, time_seconds: number, secret = webhookSecret) =>
  `t=${time_seconds},v1=${createHmac("sha256", secret).update(`${time_seconds}.${body}`).digest("hex")}`

/** A checkout session as Stripe shows it, paid with 25 dollars. */
export const sessionOf = (intent: string, change: object = {}) => ({
  id: `cs_${intent}`,
  object: "checkout.session",
  amount_total: 2500,
  client_reference_id: intent,
  currency: "usd",
  metadata: { payment_intent_id: intent },
  payment_intent: `pi_${intent}`,
  payment_status: "paid",
  status: "complete",
  url: `https://checkout.stripe.com/c/pay/cs_${intent}`,
  ...change
})

/** An event with its signature. */
export const eventOf = (type: string, session: object, time_seconds: number, secret?: string) => {
  const body = JSON.stringify({
    id: "evt_1",
    object: "event",
    api_version: "2026-10-28.endive",
    created: time_seconds,
    type,
    data: { object: session }
  })
  return callOf({ "stripe-signature": signatureOf(body, time_seconds, secret) }, body)
}

const fingerprint = "fp_of_the_tests"

/** Makes the server answer like Stripe for a payment of 25 dollars with this id. */
export const putPayment = (server: VendorServer, id: string, change: object = {}) =>
  server.reply(`GET /v1/payment_intents/${id}?expand[0]=latest_charge`, () => [
    200,
    {
      id,
      amount_received: 2500,
      currency: "usd",
      metadata: { payment_intent_id: id },
      latest_charge: { id: `ch_${id}`, payment_method_details: { card: { fingerprint } } },
      ...change
    }
  ])

export const putReversals = (
  server: VendorServer,
  id: string,
  refunds: ReadonlyArray<object>,
  disputes: ReadonlyArray<object>
) => {
  server.reply(`GET /v1/refunds?payment_intent=${id}&limit=100`, () => [200, { object: "list", data: refunds }])
  server.reply(`GET /v1/disputes?payment_intent=${id}&limit=100`, () => [200, { object: "list", data: disputes }])
}
