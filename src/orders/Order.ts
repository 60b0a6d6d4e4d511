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

/** Mobile rotating orders are sold by tariff and answered as a snapshot (specification section 2.4). */
export const isMobileRotating = ({ mode, proxy_type }: Pick<Order, "mode" | "proxy_type">): boolean =>
  proxy_type === "mobile" && mode === "rotating"

/** One order is one proxy: what was bought, what was paid, and where the proxy is. */
export class Order extends Model.Class<Order>("Order")({
  id: Model.UuidV7Insert(OrderId),
  user_id: UserId,
  /** The key that placed the order, if one did. */
  api_key_id: Schema.NullOr(Schema.String),
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
  /** In units of `currency`: micro-dollars or whole stars. */
  total: Schema.BigInt,
  /** What the order costs in micro-dollars, whatever it was paid in. */
  total_usd: Schema.BigInt,
  /** What a promo code took off, in units of `currency` and in micro-dollars; the totals are what was left. */
  discount: Schema.BigInt,
  discount_usd: Schema.BigInt,
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
  /** While `paid`: when provisioning may be taken up by whoever finds the order. */
  provision_at: Schema.DateTimeUtcFromDate,
  /** Until then one operation has the proxy for itself. */
  operation_until: Model.GeneratedByDb(Schema.NullOr(Schema.DateTimeUtcFromDate)),
  /** While expiring: when auto-renew tries next. */
  renew_at: Model.GeneratedByDb(Schema.NullOr(Schema.DateTimeUtcFromDate)),
  /** When the owner was told that the running cycle could not be renewed. */
  renewal_failed_at: Model.GeneratedByDb(Schema.NullOr(Schema.DateTimeUtcFromDate)),
  /** While live: when the provider is asked next how the proxy is. */
  sync_at: Model.GeneratedByDb(Schema.NullOr(Schema.DateTimeUtcFromDate)),
  rotated_at: Model.GeneratedByDb(Schema.NullOr(Schema.DateTimeUtcFromDate)),
  tags: Model.GeneratedByDb(Schema.Array(Schema.String)),
  created_at: Model.DateTimeInsertFromDate,
  updated_at: Model.DateTimeUpdateFromDate
}) {}

/** An order as a plain structure: an instance costs as much again as checking its fields. */
export const OrderRow = Schema.Struct(Order.fields)
