import createClient from "openapi-fetch"
import type { paths } from "./generated/openapi.ts"

const given = <A>({ data, error }: { data?: A; error?: unknown }) => {
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}

/** A purchase with `openapi-fetch` and the types of `openapi-typescript`. */
export const journey = async (url: string, pay: (page: string) => Promise<unknown>) => {
  const { GET, POST, use } = createClient<paths>({ baseUrl: url })
  const account = { email: "fetch@example.com", password: "correct horse" }
  const { access_token } = given(await POST("/v1/auth/register", { body: account }))
  use({ onRequest: ({ request }) => request.headers.set("authorization", `Bearer ${access_token}`) })

  const money = { amount: 25, currency: "USD", payment_method: "card_gateway" } as const
  const { payment_url } = given(await POST("/v1/payments/deposits", { body: money }))
  await pay(payment_url ?? "")
  const query = { kind: "datacenter", is_available: true } as const
  const { kinds } = given(await GET("/v1/catalog", { params: { query } }))
  const offer = kinds[0]?.offers[0]
  if (offer === undefined) throw new Error("Nothing is on sale")
  const request = { offer_id: offer.id, payment_method: "wallet", quantity: 2 } as const
  const bought = given(await POST("/v1/orders", { body: request }))
  const listed = given(await GET("/v1/orders", { params: { query: { limit: 1, offset: 1 } } }))
  return { bought: bought.map(({ id }) => id), listed: listed.orders.map(({ id }) => id), total: listed.total }
}
