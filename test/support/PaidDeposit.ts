import { Effect } from "effect"
import type { Reversed } from "../../src/wallet/gateways/PaymentGateway.ts"
import { MemoryPaymentGateways } from "./MemoryPaymentGateways.ts"
import { request } from "./TestServer.ts"

type Gateways = MemoryPaymentGateways["Service"]

const send = ({ body, headers, payment_method }: ReturnType<Gateways["pay"]>) =>
  request("POST", `/v1/payments/callbacks/${payment_method}`, {
    headers: { ...headers, "content-type": "application/json" },
    body: new TextDecoder().decode(body)
  })

/** Reports a payment as paid, as its gateway does. */
export const payDeposit = (payment_intent_id: string, change: Parameters<Gateways["pay"]>[1] = {}) =>
  MemoryPaymentGateways.use((gateways) => send(gateways.pay(payment_intent_id, change)))

/** Reports that the gateway took a paid payment back, in full or by `amount`. */
export const takeBack = (payment_intent_id: string, change: Partial<Omit<Reversed, "_tag">> = {}) =>
  MemoryPaymentGateways.use((gateways) =>
    send(
      gateways.reverse(payment_intent_id, {
        charge_id: `charge_${payment_intent_id}`,
        reversal_id: `re_${payment_intent_id}`,
        kind: "refund",
        status: "taken",
        amount: null,
        ...change
      })
    )
  )

/** Requests a deposit by the API and pays it. Returns its id, which is also that of its ledger entry, and its payment. */
export const paidDeposit = Effect.fnUntraced(function* (
  user: string,
  wanted: { readonly amount?: number; readonly currency?: string; readonly payment_method?: string } = {}
) {
  const body = { amount: 25, currency: "USD", payment_method: "card_gateway", ...wanted }
  const { body: deposit } = yield* request("POST", "/v1/payments/deposits", { user, body })
  yield* payDeposit(deposit.payment_intent_id)
  return deposit as { readonly id: string; readonly payment_intent_id: string }
})
