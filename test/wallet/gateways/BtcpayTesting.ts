import { createHmac } from "node:crypto"
import { callOf, type VendorServer } from "./VendorServer.ts"

export const webhookSecret = "btcpay webhook of the tests"
export const storeId = "9CiNzKoANXxmk5ayZngSXrHTiVvvgCrwrpFQd4m2K776"

/** `BTCPay-Sig` as docs.btcpayserver.org/API/Greenfield/v1 describes it. */
const signatureOf = (body: string, secret: string) =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`

/** A webhook of the store, with its signature. */
export const webhookOf = (type: string, invoice: string, payment?: string, secret = webhookSecret) => {
  const body = JSON.stringify({
    deliveryId: "d1",
    webhookId: "w1",
    originalDeliveryId: "d1",
    isRedelivery: false,
    type,
    timestamp: 1_700_000_000,
    storeId,
    invoiceId: invoice,
    ...(payment === undefined ? {} : { afterExpiration: false, paymentMethodId: "BTC-CHAIN", payment: { id: payment } })
  })
  return callOf({ "btcpay-sig": signatureOf(body, secret) }, body)
}

interface Payment {
  readonly id: string
  readonly value: string
  readonly status?: string
}

/** Stores an invoice of 25 dollars on the server, at 50000 dollars for a bitcoin. */
export const putInvoice = (
  server: VendorServer,
  intent: string,
  state: {
    readonly status: string
    readonly additionalStatus?: string
    readonly payments?: ReadonlyArray<Payment>
    readonly rate?: string | null
  },
  change: object = {}
) => {
  const id = `invoice-${intent}`
  const address = `GET /api/v1/stores/${storeId}/invoices/${id}`
  const { additionalStatus = "None", payments = [], rate = "50000.0", status } = state
  server.reply(address, () => [
    200,
    {
      id,
      storeId,
      amount: "25.00",
      currency: "USD",
      status,
      additionalStatus,
      metadata: { orderId: intent, paymentIntentId: intent },
      ...change
    }
  ])
  server.reply(`${address}/payment-methods`, () => [
    200,
    [
      {
        paymentMethodId: "BTC-CHAIN",
        currency: "BTC",
        rate,
        due: "0",
        payments: payments.map((payment) => ({ receivedDate: 0, fee: "0.0", status: "Settled", ...payment }))
      },
      { paymentMethodId: "BTC-LN", currency: "BTC", rate: "50000.0", payments: [] }
    ]
  ])
  return id
}
