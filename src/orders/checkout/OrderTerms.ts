import { Effect, Result } from "effect"
import type { Offer, OfferOption, ProxyProtocol } from "../../catalog/Offer.ts"
import type { Currency } from "../../platform/Money.ts"
import { type Fault, RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { OfferMismatch } from "./CheckoutErrors.ts"
import { currencyOf, defaultPeriodDays, defaultProtocol, type WantedOrder } from "./OrderRequest.ts"

/** The properties and the price of one proxy of a request. Prices are in units of their currency. */
export interface OrderTerms {
  readonly option: OfferOption
  readonly tarification_index: number
  readonly bandwidth_gb: number | null
  /** Traffic above that of the option, in whole GB. */
  readonly extra_gb: bigint
  readonly protocol: typeof ProxyProtocol.Type
  readonly country: string
  readonly city: string | null
  readonly currency: Currency
  readonly unit_price: bigint
  readonly unit_price_usd: bigint
  /** The price of the option, without extra traffic. */
  readonly option_price: bigint
  readonly option_price_usd: bigint
  /** The cost of the operator in micro-dollars; null when it is unknown. */
  readonly unit_cost_usd: bigint | null
}

const fault = (field: keyof WantedOrder, msg: string): Fault => ({ loc: ["body", field], msg, type: "value_error" })

type Choice = Result.Result<{ readonly option: OfferOption; readonly index: number }, Fault>

const byTariff = (offer: Offer, request: WantedOrder): Choice => {
  const index = request.tarification_index
  const last = offer.options.length - 1
  const option = index === undefined ? undefined : offer.options[index]
  if (index === undefined || option === undefined)
    return Result.fail(fault("tarification_index", `This offer needs a tarification_index from 0 to ${last}`))
  if (request.period_days !== undefined && request.period_days !== option.period_days)
    return Result.fail(fault("period_days", `Must be ${option.period_days}, the period of the chosen tariff`))
  return Result.succeed({ option, index })
}

/** A request without a period takes the default period if the offer has it, else the shortest period of the offer. */
const byPeriod = (offer: Offer, request: WantedOrder): Choice => {
  if (request.tarification_index !== undefined)
    return Result.fail(fault("tarification_index", "Only mobile rotating offers are sold by tarification_index"))
  const periods = offer.options.map((option) => option.period_days)
  const days = request.period_days ?? (periods.includes(defaultPeriodDays) ? defaultPeriodDays : Math.min(...periods))
  const index = periods.indexOf(days)
  const option = offer.options[index]
  return option === undefined
    ? Result.fail(fault("period_days", `This offer is sold for ${periods.join(", ")} days`))
    : Result.succeed({ option, index })
}

/** True for mobile rotating offers, which are sold by tariff; all others are sold by period. */
export const isSoldByTariff = ({ kind, mode }: Offer) => kind === "mobile" && mode === "rotating"

const choose = (offer: Offer, request: WantedOrder): Choice =>
  isSoldByTariff(offer) ? byTariff(offer, request) : byPeriod(offer, request)

const trafficFault = (offer: Offer, { bandwidth_gb: included }: OfferOption, wanted: number | undefined) => {
  if (wanted === undefined || included === null || wanted === included) return []
  if (wanted < included)
    return [fault("bandwidth_gb", `Must be at least ${included}, the traffic included in this option`)]
  return offer.price_per_gb.USD === null
    ? [fault("bandwidth_gb", `Must be ${included}: this offer sells no extra traffic`)]
    : []
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

const differs = (field: string, own: string) => `${field}: this offer is ${own}; leave the field out or choose another`

const cityMismatch = (offer: Offer, wanted: string | undefined) => {
  const cities = offer.locations.map(({ city }) => city)
  if (wanted === undefined || cities.some((city) => same(city, wanted))) return undefined
  return cities.length === 0
    ? "city: this offer has no choice of city; leave the field out"
    : `city: this offer is sold in ${cities.join(", ")}`
}

/** Describes the first field that differs from the offer. A field that is left out matches any offer. */
const mismatch = (offer: Offer, request: WantedOrder): string | undefined => {
  const { country, ip_version, isp, protocol, proxy_type } = request
  if (proxy_type !== undefined && proxy_type !== offer.kind) return differs("proxy_type", offer.kind)
  if (ip_version !== undefined && ip_version !== offer.ip_version) return differs("ip_version", offer.ip_version)
  if (country !== undefined && !same(country, offer.country_code)) return differs("country", offer.country_code)
  if (protocol !== undefined && !offer.protocols.includes(protocol))
    return `protocol: this offer supports ${offer.protocols.join(", ")}`
  if (isp !== undefined && offer.isp === null) return "isp: this offer names no ISP; leave the field out"
  if (isp !== undefined && offer.isp !== null && !same(isp, offer.isp)) return differs("isp", offer.isp)
  return cityMismatch(offer, request.city)
}

/** The protocol of a request that names none: the default if the offer has it, else the first of the offer. */
const protocolOf = ({ protocols: [first = defaultProtocol, ...others] }: Offer) =>
  others.includes(defaultProtocol) ? defaultProtocol : first

/** The price of an option with extra traffic; null when one of them is not sold. */
export const unitPrice = (price: bigint | null, perGb: bigint | null, extraGb: bigint): bigint | null => {
  if (price === null || (extraGb > 0n && perGb === null)) return null
  return price + extraGb * (perGb ?? 0n)
}

const costOf = ({ price_per_gb }: Offer, option: OfferOption, extraGb: bigint): bigint | null => {
  const perGb = extraGb === 0n ? 0n : price_per_gb.cost_usd
  return option.cost_usd === undefined || perGb === undefined ? null : option.cost_usd + extraGb * perGb
}

/** The terms on which an offer fulfils a request. Fails with a message that says what the offer sells. */
export const agree = Effect.fnUntraced(function* (offer: Offer, request: WantedOrder) {
  const choice = choose(offer, request)
  const faults = Result.match(choice, {
    onFailure: (fault) => [fault],
    onSuccess: ({ option }) => trafficFault(offer, option, request.bandwidth_gb)
  })
  if (Result.isFailure(choice) || faults.length > 0) return yield* new RequestInvalid({ detail: faults })
  const wrong = mismatch(offer, request)
  if (wrong !== undefined) return yield* new OfferMismatch({ detail: wrong })

  const { index, option } = choice.success
  const wanted = request.bandwidth_gb ?? option.bandwidth_gb
  const extraGb = BigInt(Math.ceil((wanted ?? 0) - (option.bandwidth_gb ?? wanted ?? 0)))
  const currency = currencyOf(request)
  const [option_price, option_price_usd] = [option.prices[currency], option.prices.USD]
  const unit_price = unitPrice(option_price, offer.price_per_gb[currency], extraGb)
  const unit_price_usd = unitPrice(option_price_usd, offer.price_per_gb.USD, extraGb)
  if (option_price === null || option_price_usd === null || unit_price === null || unit_price_usd === null)
    return yield* new OfferMismatch({ detail: `payment_currency: this option is not sold in ${currency}` })
  const terms: OrderTerms = {
    option,
    tarification_index: index,
    bandwidth_gb: wanted,
    extra_gb: extraGb,
    protocol: request.protocol ?? protocolOf(offer),
    country: offer.country_code,
    city: offer.locations.find(({ city }) => same(city, request.city ?? ""))?.city ?? null,
    currency,
    unit_price,
    unit_price_usd,
    option_price,
    option_price_usd,
    unit_cost_usd: costOf(offer, option, extraGb)
  }
  return terms
})
