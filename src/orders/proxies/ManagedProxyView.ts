import { DateTime, Schema, Struct } from "effect"
import type { Order } from "../Order.ts"
import { ProxyStatus } from "../OrderStatus.ts"

/** A static proxy, as its management operations answer it (docs/contract.md, "Static proxies"). */
export const ManagedProxyView = Schema.Struct({
  order_id: Schema.String.annotate({ examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"] }),
  provider_proxy_id: Schema.String.annotate({ description: "The provider's id of the proxy", examples: ["9f1c2e7a"] }),
  status: ProxyStatus.annotate({ examples: ["active"] }),
  expires_at: Schema.String.annotate({ examples: ["2026-02-28T12:00:00.000Z"] }),
  auto_renew: Schema.Boolean,
  whitelisted_ips: Schema.Array(Schema.String).annotate({ examples: [["192.0.2.7"]] }),
  bandwidth_total_gb: Schema.Finite.annotate({ description: "GB (10^9 bytes); 0 is unlimited", examples: [50] }),
  bandwidth_used_gb: Schema.NullOr(Schema.Finite).annotate({
    description: "Traffic of the running cycle; `null` when the provider does not report it",
    examples: [12.5]
  }),
  previous_expires_at: Schema.NullOr(Schema.String).annotate({
    description: "The end of the proxy before the extension; `null` in all other answers",
    examples: ["2026-01-31T12:00:00.000Z"]
  })
}).annotate({ identifier: "ManagedProxy" })
export type ManagedProxyView = typeof ManagedProxyView.Type

const subset = <const Keys extends ReadonlyArray<keyof ManagedProxyView>>(identifier: string, keys: Keys) =>
  ManagedProxyView.mapFields(Struct.pick(keys)).annotate({ identifier })

const autoRenewKeys = ["order_id", "provider_proxy_id", "auto_renew", "status", "expires_at"] as const

/** The answer of auto-renew. */
export const AutoRenewView = subset("AutoRenew", autoRenewKeys)

/** The answer of a traffic purchase. */
export const BandwidthView = subset("Bandwidth", [
  "order_id",
  "provider_proxy_id",
  "status",
  "expires_at",
  "bandwidth_total_gb",
  "bandwidth_used_gb"
])

const identityKeys = ["order_id", "provider_proxy_id", "status", "expires_at"] as const
const whitelistKeys = [...identityKeys, "whitelisted_ips"] as const
const releasedKeys = [...identityKeys, "auto_renew"] as const

/** The answer of a whitelist change. */
export const WhitelistView = subset("Whitelist", whitelistKeys)

/** The answer of a change of credentials. `username` and `password` are the first login. */
export const CredentialsView = Schema.Struct({
  ...WhitelistView.fields,
  username: Schema.String.annotate({ examples: ["u5k2m8p1"] }),
  password: Schema.String.annotate({ examples: ["f3Zk9Qw1Lm7s"] })
}).annotate({ identifier: "Credentials" })

/** The answer of a change of tags. */
export const TagsView = Schema.Struct({
  ...Struct.pick(ManagedProxyView.fields, identityKeys),
  tags: Schema.Array(Schema.String).annotate({ examples: [["scraper-7"]] })
}).annotate({ identifier: "Tags" })

/** The answer of a release. */
export const ReleasedView = subset("Released", releasedKeys)

/** Takes a provisioned order. `usedGb` is the traffic of the cycle; null when unknown. */
export const managedProxyView = (
  order: Order,
  usedGb: number | null,
  previousExpiresAt: DateTime.Utc | null = null
): ManagedProxyView => {
  const { expires_at, provider_proxy_id } = order
  if (expires_at === null || provider_proxy_id === null) throw new Error(`order ${order.id} never had a proxy`)
  return {
    order_id: order.id,
    provider_proxy_id,
    status: order.proxy_status,
    expires_at: DateTime.formatIso(expires_at),
    auto_renew: order.auto_renew,
    whitelisted_ips: order.whitelisted_ips,
    bandwidth_total_gb: order.bandwidth_gb ?? 0,
    bandwidth_used_gb: usedGb,
    previous_expires_at: previousExpiresAt === null ? null : DateTime.formatIso(previousExpiresAt)
  }
}

export const autoRenewView = (order: Order): typeof AutoRenewView.Type =>
  Struct.pick(managedProxyView(order, null), autoRenewKeys)

export const whitelistView = (order: Order): typeof WhitelistView.Type =>
  Struct.pick(managedProxyView(order, null), whitelistKeys)

export const credentialsView = (order: Order): typeof CredentialsView.Type => {
  const { password, username } = order
  if (password === null || username === null) throw new Error(`order ${order.id} never had a proxy`)
  return { ...whitelistView(order), username, password }
}

export const tagsView = (order: Order): typeof TagsView.Type => ({
  ...Struct.pick(managedProxyView(order, null), identityKeys),
  tags: order.tags
})

export const releasedView = (order: Order): typeof ReleasedView.Type =>
  Struct.pick(managedProxyView(order, null), releasedKeys)
