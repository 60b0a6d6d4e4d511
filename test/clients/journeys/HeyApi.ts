import { createClient } from "./generated/hey-api/client/index.ts"
import * as api from "./generated/hey-api/index.ts"

/** A purchase with the client of `@hey-api/openapi-ts`. */
export const journey = async (url: string, pay: (page: string) => Promise<unknown>) => {
  let token = ""
  const client = createClient({ baseUrl: url, auth: ({ scheme }) => (scheme === "bearer" ? token : undefined) })
  const options = { client, throwOnError: true } as const
  const account = { email: "hey@example.com", password: "correct horse" }
  token = (await api.authRegister({ ...options, body: account })).data.access_token

  const money = { amount: 25, currency: "USD", payment_method: "card_gateway" } as const
  const deposit = await api.paymentsCreateDeposit({ ...options, body: money })
  await pay(deposit.data.payment_url ?? "")
  const query = { kind: "datacenter", is_available: true } as const
  const offer = (await api.catalogListOffers({ ...options, query })).data.kinds[0]?.offers[0]
  if (offer === undefined) throw new Error("Nothing is on sale")
  const request = { offer_id: offer.id, payment_method: "wallet", quantity: 2 } as const
  const bought = await api.ordersCreate({ ...options, body: request })
  const { data } = await api.ordersList({ ...options, query: { limit: 1, offset: 1 } })
  return { bought: bought.data.map(({ id }) => id), listed: data.orders.map(({ id }) => id), total: data.total }
}
