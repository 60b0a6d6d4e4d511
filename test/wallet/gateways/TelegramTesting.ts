import { callOf } from "./VendorServer.ts"

export const botToken = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"
export const webhookSecret = "webhook_secret-of-the-tests"

/** An update, with the secret that Telegram repeats in each call (core.telegram.org/bots/api#setwebhook). */
export const updateOf = (update: object) =>
  callOf({ "x-telegram-bot-api-secret-token": webhookSecret }, JSON.stringify({ update_id: 1, ...update }))

const from = { id: 1, is_bot: false, first_name: "Somebody" }

/** An update about a successful payment of 25 stars. */
export const paymentUpdate = (intent: string, change: object = {}) =>
  updateOf({
    message: {
      message_id: 2,
      from,
      date: 0,
      chat: { id: 1, type: "private" },
      successful_payment: {
        currency: "XTR",
        total_amount: 25,
        invoice_payload: intent,
        telegram_payment_charge_id: `stx_${intent}`,
        provider_payment_charge_id: "",
        ...change
      }
    }
  })

/** An update that asks for permission to make a payment of 25 stars. */
export const preCheckoutUpdate = (intent: string, change: object = {}) =>
  updateOf({
    pre_checkout_query: { id: "q1", from, currency: "XTR", total_amount: 25, invoice_payload: intent, ...change }
  })
