import { Schema } from "effect"
import { IpVersion, ProxyKind, ProxyProtocol } from "../../catalog/Offer.ts"
import { Currency } from "../../platform/Money.ts"
import { optional } from "../../platform/fields/Optional.ts"
import { Text } from "../../platform/fields/Text.ts"
import { withDefault } from "../../platform/fields/WithDefault.ts"
import { currencyOf as gatewayCurrencyOf } from "../../wallet/PaymentMethod.ts"
import { PaymentMethod } from "../Order.ts"

export const defaultPeriodDays = 30
export const defaultProtocol = "HTTP"

/** A gateway takes one currency; the wallet has both. */
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

/** The body of `POST /orders` and of its quote (specification section 4.3). */
export const OrderRequest = Schema.Struct({
  offer_id: Schema.Int.annotate({ description: "Offer id from the catalog", examples: [1] }),
  payment_method: PaymentMethod.annotate({
    description: "`wallet` pays at once; the others answer a `payment_url` in `payment_info`",
    examples: ["wallet"]
  }),
  payment_currency: optional(Currency, {
    description:
      "The currency to pay in; only options priced in it can be bought. When absent STAR for messenger_stars, which takes no other, and USD for the rest"
  }),
  proxy_type: optional(ProxyKind, { description: "The offer's own when absent" }),
  ip_version: optional(IpVersion, { description: "The offer's own when absent" }),
  protocol: withDefault(
    ProxyProtocol,
    defaultProtocol,
    "What the proxy speaks, and nothing else: HTTP and HTTPS proxies speak HTTP with CONNECT"
  ),
  country: optional(Text(2, 2), {
    description: "ISO 3166-1 alpha-2; the offer's own when absent",
    examples: ["US"]
  }),
  city: optional(Text(1, 100), {
    description: "One of the cities in the offer's locations",
    examples: ["Frankfurt"]
  }),
  isp: optional(Text(1, 100), {
    description: "The `isp` of the offer, in any case; refused with `400` where it differs or the offer names none",
    examples: ["Example Mobile"]
  }),
  quantity: withDefault(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })),
    1,
    "Number of proxies; each is an order of its own"
  ),
  period_days: optional(Schema.Int, {
    description: "One of the offer's options; 30 when absent, for mobile rotating offers that of the chosen option",
    examples: [30]
  }),
  tarification_index: optional(Schema.Int, {
    description: "Zero-based position in the offer's options; required for mobile rotating offers, refused for others",
    examples: [0]
  }),
  bandwidth_gb: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100_000 })), {
    description:
      "Traffic limit in GB (10^9 bytes). Where traffic is unlimited it only sets a limit; where an option includes some, each GB above that costs the offer's price_per_gb"
  }),
  auto_renew: withDefault(
    Schema.Boolean,
    false,
    "Whether the proxies renew themselves from the wallet before they end"
  ),
  notes: optional(Text(0, 1000), { description: "Private notes" }),
  promo_code: optional(Text(1, 100), {
    description: "Takes something off the price; used once for all orders of the request",
    examples: ["WELCOME-20"]
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

/** An order may name no protocol and no period, and so leave the choice to the offer: the defaults where it has them. */
export type WantedOrder = Omit<OrderRequest, "protocol"> & Partial<Pick<OrderRequest, "protocol">>

/** Adds the default period to a request of the REST API; a tariff has a period of its own. */
export const withPeriod = <R extends Pick<WantedOrder, "period_days" | "tarification_index">>(request: R): R =>
  request.period_days === undefined && request.tarification_index === undefined
    ? { ...request, period_days: defaultPeriodDays }
    : request

/** The currency that a request is paid in. */
export const currencyOf = ({ payment_currency, payment_method }: WantedOrder): Currency =>
  payment_currency ?? (payment_method === "wallet" ? "USD" : gatewayCurrencyOf(payment_method))

/**
 * What makes a request the same as another with its idempotency key: what was asked for, a default also where it is not
 * written out; beside a tariff, which has a period of its own, there is none. Nothing of it is looked up in the offer,
 * which may have changed since, or be gone.
 */
export const fingerprint = ({ idempotency_key: _key, protocol = defaultProtocol, ...request }: WantedOrder) => ({
  ...request,
  protocol,
  payment_currency: currencyOf(request),
  ...(request.tarification_index === undefined ? { period_days: request.period_days ?? defaultPeriodDays } : {})
})
