import { DateTime, Effect, Schema } from "effect"
import { IpVersion, ProxyKind, ProxyProtocol } from "../../catalog/Offer.ts"
import { Currency } from "../../platform/Money.ts"
import * as Money from "../../platform/Money.ts"
import type { ProviderProxy } from "../../provider/ProxyProvider.ts"
import type { Order } from "../Order.ts"
import { isLive, OrderStatus, ProxyStatus } from "../OrderStatus.ts"
import { limitOf, statusAt } from "./ProxyDrift.ts"

const nullable = <S extends Schema.Top>(schema: S, example: NonNullable<S["Encoded"]>) =>
  Schema.NullOr(schema).annotate({ examples: [example] })

/** The present state of a mobile rotating proxy at its provider. An order without a proxy has no snapshot. */
export const MobileSnapshotView = Schema.Struct({
  type: Schema.Literal("mobile"),
  id: Schema.String.annotate({ description: "Order id", examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"] }),
  status: ProxyStatus.annotate({ description: "Present status of the proxy", examples: ["active"] }),
  order_status: OrderStatus.annotate({ description: "Present status of the order", examples: ["provisioned"] }),
  auto_renew: Schema.Boolean,
  expires_at: Schema.String.annotate({ examples: ["2026-02-28T12:00:00.000Z"] }),
  host: Schema.String.annotate({ examples: ["127.0.0.1"] }),
  port: Schema.Int.annotate({ examples: [20_000] }),
  username: Schema.String.annotate({ examples: ["u5k2m8p1"] }),
  password: Schema.String.annotate({ examples: ["f3Zk9Qw1Lm7s"] }),
  current_ip: nullable(Schema.String, "203.0.113.7").annotate({
    description: "The exit address that destinations see"
  }),
  signature: nullable(Schema.String, "android"),
  tags: Schema.Array(Schema.String).annotate({ examples: [["scraper-7"]] }),
  whitelisted_ips: Schema.Array(Schema.String).annotate({ examples: [["192.0.2.7"]] }),
  proxy_type: ProxyKind.annotate({ examples: ["mobile"] }),
  ip_version: IpVersion,
  protocol: ProxyProtocol,
  country: Schema.String.annotate({ examples: ["GB"] }),
  city: nullable(Schema.String, "London"),
  isp: Schema.String.annotate({
    description: "`unknown` when the provider does not report it",
    examples: ["Example Mobile"]
  }),
  period_days: Schema.Int.annotate({ examples: [7] }),
  bandwidth_gb: nullable(Schema.Finite, 20).annotate({
    description: "Traffic limit of the cycle in GB; `null` is unlimited"
  }),
  quantity: Schema.Int.annotate({ examples: [1] }),
  total_usd: Schema.Finite.annotate({ examples: [9] }),
  total_amount: Schema.String.annotate({ description: "Decimal, in `currency`", examples: ["9.00"] }),
  currency: Currency,
  promo_code_id: nullable(Schema.String, "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c12"),
  discount_usd: nullable(Schema.Finite, 1).annotate({ description: "Discount of the promo code" }),
  created_at: Schema.String,
  updated_at: Schema.String,
  payment_intent_id: nullable(Schema.String, "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c13"),
  previous_expires_at: Schema.NullOr(Schema.String).annotate({
    description: "The end of the proxy before the extension; `null` in all other answers"
  })
}).annotate({ identifier: "MobileSnapshot" })
export type MobileSnapshotView = typeof MobileSnapshotView.Type

/** Takes an order with a proxy. Values that only the provider knows are null when `proxy` is undefined or has ended. */
export const mobileSnapshotView = Effect.fnUntraced(function* (
  order: Order,
  proxy: ProviderProxy | undefined,
  previousExpiresAt: DateTime.Utc | null = null
): Effect.fn.Return<MobileSnapshotView> {
  const live = isLive(order.proxy_status) && proxy?.is_live === true ? proxy : undefined
  const stored = live ?? order
  const { expires_at, host, password, port, username } = stored
  // A constraint of the table: an order has all of these values or none.
  if (expires_at === null || host === null || password === null || port === null || username === null)
    return yield* Effect.die(new Error(`Order ${order.id} has no proxy to show`))
  return {
    type: "mobile",
    id: order.id,
    status: statusAt(order, proxy, yield* DateTime.now),
    order_status: order.status,
    auto_renew: order.auto_renew,
    expires_at: DateTime.formatIso(expires_at),
    host,
    port,
    username,
    password,
    current_ip: live?.current_ip ?? null,
    signature: live?.signature ?? null,
    tags: order.tags,
    whitelisted_ips: stored.whitelisted_ips,
    proxy_type: order.proxy_type,
    ip_version: order.ip_version,
    protocol: stored.protocol,
    country: order.country,
    city: order.city,
    isp: live?.isp ?? "unknown",
    period_days: order.period_days,
    bandwidth_gb: limitOf(order, stored),
    quantity: 1,
    total_usd: Money.toNumber("USD", order.total_usd),
    total_amount: Money.toDecimal(order.currency, order.total),
    currency: order.currency,
    promo_code_id: order.promo_code_id,
    discount_usd: order.promo_code_id === null ? null : Money.toNumber("USD", order.discount_usd),
    created_at: DateTime.formatIso(order.created_at),
    updated_at: DateTime.formatIso(order.updated_at),
    payment_intent_id: order.payment_intent_id,
    previous_expires_at: previousExpiresAt === null ? null : DateTime.formatIso(previousExpiresAt)
  }
})
