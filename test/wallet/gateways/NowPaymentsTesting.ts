import { createHmac } from "node:crypto"
import { callOf, type VendorServer } from "./VendorServer.ts"

export const ipnSecret = "ipn secret of the tests"

/** Sorts the keys of an object and of the objects in it; NOWPayments signs this form. */
const sortObject = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortObject)
  if (typeof value !== "object" || value === null) return value
  const source = value as Record<string, unknown>
  return Object.keys(source)
    .toSorted()
    .reduce<Record<string, unknown>>((result, key) => ({ ...result, [key]: sortObject(source[key]) }), {})
}

const signatureOf = (value: unknown, secret = ipnSecret) =>
  createHmac("sha512", secret)
    .update(JSON.stringify(sortObject(value)))
    .digest("hex")

/** A payment over 25 dollars, or 0.0005 bitcoin, as NOWPayments shows it. */
export const paymentOf = (intent: string | null, change: object = {}) => ({
  payment_id: 5524759814,
  parent_payment_id: null,
  invoice_id: 4522625843,
  payment_status: "finished",
  pay_address: "bc1qnw6k7g8s",
  price_amount: 25,
  price_currency: "usd",
  pay_amount: 0.0005,
  actually_paid: 0.0005,
  actually_paid_at_fiat: 0,
  pay_currency: "btc",
  order_id: intent,
  purchase_id: "5312822613",
  outcome_amount: 0.000497,
  outcome_currency: "btc",
  fee: { withdrawalFee: 0, depositFee: 1e-7, currency: "btc", serviceFee: 0.0000025 },
  ...change
})

/** A call about a payment, with its signature. */
export const ipnOf = (payment: object, secret?: string) =>
  callOf({ "x-nowpayments-sig": signatureOf(payment, secret) }, JSON.stringify(payment))

/** Stores a payment on the server and makes the call about it. */
export const report = (server: VendorServer, payment: { readonly payment_id: number }) => {
  server.reply(`GET /v1/payment/${payment.payment_id}`, () => [200, payment])
  return ipnOf(payment)
}
