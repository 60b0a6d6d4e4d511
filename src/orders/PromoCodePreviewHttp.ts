import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Caller } from "../accounts/Caller.ts"
import { Api } from "../Api.ts"
import { Catalog } from "../catalog/Catalog.ts"
import * as Money from "../platform/Money.ts"
import { RequestInvalid } from "../platform/RequestInvalid.ts"
import type { PromoCode } from "../wallet/PromoCode.ts"
import { PromoCodes } from "../wallet/PromoCodes.ts"
import { OrderRequest } from "./OrderRequest.ts"
import { agree } from "./OrderTerms.ts"

const decodeRequest = Schema.decodeEffect(OrderRequest)

/** The query's fields have the names of an order's. */
const inQuery = ({ detail }: RequestInvalid) =>
  new RequestInvalid({ detail: detail.map((fault) => ({ ...fault, loc: ["query", ...fault.loc.slice(1)] })) })

const valueOf = ({ kind, value }: PromoCode) => (kind === "fixed" ? Money.toNumber("USD", value) : Number(value))

export const layer = HttpApiBuilder.group(
  Api,
  "promo-codes",
  Effect.fnUntraced(function* (handlers) {
    const catalog = yield* Catalog
    const promoCodes = yield* PromoCodes

    return handlers.handleAll({
      preview: Effect.fnUntraced(function* ({ query }) {
        const { code, currency, ...wanted } = query
        const { user_id } = yield* Caller
        const offer = yield* catalog.offer(wanted.offer_id)
        const [protocol = "HTTP"] = offer.protocols
        const request = decodeRequest({ ...wanted, protocol, payment_method: "wallet", payment_currency: currency })
        const { unit_price, unit_price_usd } = yield* agree(offer, yield* Effect.orDie(request)).pipe(
          Effect.catchTag("RequestInvalid", (error) => Effect.fail(inQuery(error)))
        )
        const sale = { user_id, code, currency, unit_price, unit_price_usd, ...wanted }
        const { discount, promo_code, uses_left } = yield* promoCodes.preview(sale)

        const total = unit_price * BigInt(wanted.quantity)
        const off = discount.orders.reduce((sum, { discount }) => sum + discount, 0n)
        return {
          code: promo_code.code,
          kind: promo_code.kind,
          value: valueOf(promo_code),
          currency,
          unit_price: Money.toNumber(currency, unit_price),
          total: Money.toNumber(currency, total),
          discount: Money.toNumber(currency, off),
          total_after: Money.toNumber(currency, total - off),
          expires_at: promo_code.expires_at,
          uses_left
        }
      })
    })
  })
)
