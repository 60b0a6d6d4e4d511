import { Schema } from "effect"
import { Model } from "effect/schema"
import { UserId } from "../accounts/User.ts"
import { IpVersion, ProxyKind, ProxyProtocol } from "../catalog/Offer.ts"
import { Currency } from "../platform/Money.ts"
import { PaymentMethod as GatewayMethod } from "../wallet/PaymentMethod.ts"
import { OrderStatus, ProxyStatus } from "./OrderStatus.ts"

export const OrderId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("OrderId"))
export type OrderId = typeof OrderId.Type

export const PaymentMethod = Schema.Literals(["wallet", ...GatewayMethod.literals])

/**
 * True for an order that is sold by tariff and answered as a snapshot of the proxy (docs/contract.md, "Mobile rotating
 * proxies").
 */
export const isMobileRotating = ({ mode, proxy_type }: Pick<Order, "mode" | "proxy_type">): boolean =>
  proxy_type === "mobile" && mode === "rotating"

/** An order of one proxy: its terms, its payment, and the access to the proxy. */
export class Order extends Model.Class<Order>("Order")({
  id: Model.UuidV7Insert(OrderId),
  user_id: UserId,
  /** The API key that placed the order; null for any other credential. */
  api_key_id: Schema.NullOr(Schema.String),
  /** The OAuth client of the app that placed the order; null for any other credential. */
  oauth_client_id: Schema.NullOr(Schema.String),
  offer_id: Schema.Int,
  provider: Schema.String,
  external_id: Schema.String,
  status: OrderStatus,
  proxy_status: ProxyStatus,
  proxy_type: ProxyKind,
  mode: Schema.String,
  ip_version: IpVersion,
  protocol: ProxyProtocol,
  country: Schema.String,
  city: Schema.NullOr(Schema.String),
  period_days: Schema.Int,
  period_months: Schema.Int,
  tarification_index: Schema.Int,
  /** Traffic limit in GB (10^9 bytes); null is unlimited. */
  bandwidth_gb: Schema.NullOr(Schema.Finite),
  currency: Currency,
  /** The price in units of `currency`: micro-dollars or whole stars. */
  total: Schema.BigInt,
  /** The price in micro-dollars, for an order in stars too. */
  total_usd: Schema.BigInt,
  /** The cost of the operator in micro-dollars, from the offer at that moment; null when it is unknown. */
  cost_usd: Schema.NullOr(Schema.BigInt),
  /** Discount of the promo code, in units of `currency` and in micro-dollars. The totals are after the discount. */
  discount: Schema.BigInt,
  discount_usd: Schema.BigInt,
  /** The part of the price before the discount that extra traffic cost; null when it cost nothing. */
  extra_total: Schema.NullOr(Schema.BigInt),
  extra_total_usd: Schema.NullOr(Schema.BigInt),
  promo_code_id: Schema.NullOr(Schema.String),
  payment_method: PaymentMethod,
  payment_intent_id: Schema.NullOr(Schema.String),
  payment_url: Schema.NullOr(Schema.String),
  auto_renew: Schema.Boolean,
  notes: Schema.NullOr(Schema.String),
  provider_proxy_id: Schema.NullOr(Schema.String),
  host: Schema.NullOr(Schema.String),
  port: Schema.NullOr(Schema.Int),
  username: Schema.NullOr(Schema.String),
  password: Model.Sensitive(Schema.NullOr(Schema.String)),
  whitelisted_ips: Model.GeneratedByDb(Schema.Array(Schema.String)),
  cycle_started_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  expiring_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  expires_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** While `paid`: from this time on, any process may claim the order and provision it. */
  provision_at: Schema.DateTimeUtcFromDate,
  /** One operation holds the proxy until this time. */
  operation_until: Model.GeneratedByDb(Schema.NullOr(Schema.DateTimeUtcFromDate)),
  /** While expiring: the time of the next try of auto-renew. */
  renew_at: Model.GeneratedByDb(Schema.NullOr(Schema.DateTimeUtcFromDate)),
  /** Time of the notice that the running cycle could not be renewed. */
  renewal_failed_at: Model.GeneratedByDb(Schema.NullOr(Schema.DateTimeUtcFromDate)),
  /** The announced price of the next renewal, and the time from which the service charges it; null when none is. */
  announced_total: Model.GeneratedByDb(Schema.NullOr(Schema.BigInt)),
  announced_currency: Model.GeneratedByDb(Schema.NullOr(Currency)),
  renews_from: Model.GeneratedByDb(Schema.NullOr(Schema.DateTimeUtcFromDate)),
  /** While live: the time of the next sync with the provider. */
  sync_at: Model.GeneratedByDb(Schema.NullOr(Schema.DateTimeUtcFromDate)),
  rotated_at: Model.GeneratedByDb(Schema.NullOr(Schema.DateTimeUtcFromDate)),
  tags: Model.GeneratedByDb(Schema.Array(Schema.String)),
  created_at: Model.DateTimeInsertFromDate,
  updated_at: Model.DateTimeUpdateFromDate
}) {}

/** The fields of an order that this process has just placed, without those that the database fills. */
export type PlacedOrder = Pick<Order, keyof typeof Order.insert.Type>

/** An order as a plain object. An instance of the class would double the cost of decoding. */
export const OrderRow = Schema.Struct(Order.fields)
