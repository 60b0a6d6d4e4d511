import { Schema } from "effect"
import { IpVersion, ProxyKind, ProxyProtocol } from "../../catalog/Offer.ts"
import { Currency } from "../../platform/Money.ts"
import { optional } from "../../platform/fields/Optional.ts"
import { Text } from "../../platform/fields/Text.ts"
import { withDefault } from "../../platform/fields/WithDefault.ts"
import { currencyOf as gatewayCurrencyOf } from "../../wallet/PaymentMethod.ts"
import { ExpectedTotal } from "../ExpectedTotal.ts"
import { PaymentMethod } from "../Order.ts"

export const defaultPeriodDays = 30
export const defaultProtocol = "HTTP"

/** Checks the currency: a gateway takes one currency, the wallet has both. */
export const takenCurrency = Schema.makeFilter(
  ({
    payment_currency,
    payment_method
  }: {
    readonly payment_currency?: Currency
    readonly payment_method: typeof PaymentMethod.Type
  }) => {
    if (payment_currency === undefined || payment_method === "wallet") return []
    const taken = gatewayCurrencyOf(payment_method)
    return taken === payment_currency
      ? []
      : [{ path: ["payment_currency"], issue: `${payment_method} takes ${taken} only` }]
  }
)

export const Quantity = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))
export const BandwidthGb = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100_000 }))
export const City = Text(1, 100)
export const Notes = Text(0, 1000)
export const PromoCodeText = Text(1, 100)

/** The body of `POST /orders` and of its quote (docs/contract.md, "Orders"). */
export const OrderRequest = Schema.Struct({
  offer_id: Schema.Int.annotate({ description: "Offer id from the catalog", examples: [1] }),
  payment_method: PaymentMethod.annotate({
    description: "`wallet` pays immediately; the others answer a `payment_url` in `payment_info`",
    examples: ["wallet"]
  }),
  payment_currency: optional(Currency, {
    description:
      "The currency to pay in; the option needs a price in this currency. Default: `STAR` for messenger_stars, which takes no other currency; `USD` for all other methods"
  }),
  proxy_type: optional(ProxyKind, { description: "Default: the value of the offer" }),
  ip_version: optional(IpVersion, { description: "Default: the value of the offer" }),
  protocol: withDefault(
    ProxyProtocol,
    defaultProtocol,
    "The only protocol that the proxy speaks; HTTP and HTTPS proxies speak HTTP with CONNECT"
  ),
  country: optional(Text(2, 2), {
    description: "ISO 3166-1 alpha-2 code; default: the country of the offer",
    examples: ["US"]
  }),
  city: optional(City, {
    description: "One of the cities in the offer's locations",
    examples: ["Frankfurt"]
  }),
  isp: optional(Text(1, 100), {
    description: "The `isp` of the offer, in upper or lower case; `400` if it differs, or if the offer has no `isp`",
    examples: ["Example Mobile"]
  }),
  quantity: withDefault(Quantity, 1, "Number of proxies; each is an order of its own"),
  period_days: optional(Schema.Int, {
    description:
      "The period of one of the offer's options. Default: 30, or the period of the chosen option for mobile rotating offers",
    examples: [30]
  }),
  tarification_index: optional(Schema.Int, {
    description:
      "Zero-based position in the offer's options; required for mobile rotating offers, refused for all others",
    examples: [0]
  }),
  bandwidth_gb: optional(BandwidthGb, {
    description:
      "Traffic limit in GB (10^9 bytes). If the option includes a limited amount, each further GB costs the offer's `price_per_gb`. If traffic is unlimited, the field sets a limit and costs nothing"
  }),
  auto_renew: withDefault(
    Schema.Boolean,
    false,
    "`true`: the service renews the proxies from the wallet before they end"
  ),
  notes: optional(Notes, { description: "Private notes" }),
  promo_code: optional(PromoCodeText, {
    description: "Reduces the price; one use of the code covers all orders of the request",
    examples: ["WELCOME-20"]
  }),
  expected_total: optional(ExpectedTotal, {
    description:
      "The `total` of your quote. If the order has another price, the answer is `409` with the present one, and nothing is charged. A quote ignores this field",
    examples: [4.5]
  }),
  idempotency_key: optional(Schema.String.check(Schema.isUUID()), {
    description: "Makes the request safe to retry; the header Idempotency-Key does the same",
    examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"]
  })
})
  .annotate({
    examples: [{ offer_id: 1, payment_method: "wallet", protocol: "HTTP", quantity: 1, auto_renew: false }]
  })
  .check(takenCurrency)
export type OrderRequest = typeof OrderRequest.Type

/** A request that may leave the protocol and the period to the offer: the defaults, if the offer has them. */
export type WantedOrder = Omit<OrderRequest, "protocol"> & Partial<Pick<OrderRequest, "protocol">>

/** Adds the default period to a request of the REST API. A tariff has a period of its own. */
export const withPeriod = <R extends Pick<WantedOrder, "period_days" | "tarification_index">>(request: R): R =>
  request.period_days === undefined && request.tarification_index === undefined
    ? { ...request, period_days: defaultPeriodDays }
    : request

/** The currency that a request is paid in. */
export const currencyOf = ({ payment_currency, payment_method }: WantedOrder): Currency =>
  payment_currency ?? (payment_method === "wallet" ? "USD" : gatewayCurrencyOf(payment_method))

/**
 * Two requests with one idempotency key are the same when their fingerprints are equal. Contains the defaults that a
 * request leaves out; a request by tariff has no default period. Takes nothing from the offer, because the offer may
 * change or disappear between the two requests. The expected price is a condition of the first request, and nothing that it
 * buys.
 */
export const fingerprint = ({
  expected_total: _expected,
  idempotency_key: _key,
  protocol = defaultProtocol,
  ...request
}: WantedOrder) => ({
  ...request,
  protocol,
  payment_currency: currencyOf(request),
  ...(request.tarification_index === undefined ? { period_days: request.period_days ?? defaultPeriodDays } : {})
})
