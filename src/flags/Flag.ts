import { Schema } from "effect"

/** The feature flags (specification section 9). */
export const FlagName = Schema.Literals([
  "isp.city.enable",
  "ip_reputation.check.enabled",
  "orders.mobile.extend.too_early_guard"
])
export type FlagName = typeof FlagName.Type

/** Whether each flag is on where nothing overrides it. */
export const defaults: Readonly<Record<FlagName, boolean>> = {
  "isp.city.enable": true,
  "ip_reputation.check.enabled": true,
  "orders.mobile.extend.too_early_guard": false
}
