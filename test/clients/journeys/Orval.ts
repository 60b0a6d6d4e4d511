import * as api from "./generated/orval.ts"
import * as schemas from "./generated/orval.zod.ts"

/** A purchase with the client of `orval`; its zod schemas check each body before it is sent, and each answer. */
export const journey = async (_url: string, pay: (page: string) => Promise<unknown>) => {
  const account = schemas.AuthRegisterBody.parse({ email: "orval@example.com", password: "correct horse" })
  const { data } = await api.authRegister(account)
  const { access_token } = schemas.AuthRegisterResponse.parse(data)
  const options = { headers: { authorization: `Bearer ${access_token}` } }

  const money = schemas.PaymentsCreateDepositBody.parse({
    amount: 25,
    currency: "USD",
    payment_method: "card_gateway"
  })
  const deposit = await api.paymentsCreateDeposit(money, options)
  await pay(schemas.PaymentsCreateDepositResponse.parse(deposit.data).payment_url ?? "")
  const filter = schemas.CatalogListOffersQueryParams.parse({ kind: "datacenter", is_available: true })
  const catalog = await api.catalogListOffers(filter, options)
  const offer = schemas.CatalogListOffersResponse.parse(catalog.data).kinds[0]?.offers[0]
  const request = schemas.OrdersCreateBody.parse({ offer_id: offer?.id, payment_method: "wallet", quantity: 2 })
  const bought = schemas.OrdersCreateResponse.parse((await api.ordersCreate(request, options)).data)
  const page = schemas.OrdersListQueryParams.parse({ limit: 1, offset: 1 })
  const listed = schemas.OrdersListResponse.parse((await api.ordersList(page, options)).data)
  return { bought: bought.map(({ id }) => id), listed: listed.orders.map(({ id }) => id), total: listed.total }
}
