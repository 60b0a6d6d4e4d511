import { Schema } from "effect"

/** The names of the feature flags. */
export const FlagName = Schema.Literals([
  "isp.city.enable",
  "ip_reputation.check.enabled",
  "orders.mobile.extend.too_early_guard"
])
export type FlagName = typeof FlagName.Type

/** The state of each flag without an override. */
export const defaults: Readonly<Record<FlagName, boolean>> = {
  "isp.city.enable": true,
  "ip_reputation.check.enabled": true,
  "orders.mobile.extend.too_early_guard": false
}
