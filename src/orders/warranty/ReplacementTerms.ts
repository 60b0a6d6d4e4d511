import { DateTime, Schema } from "effect"
import { isMobileRotating, type Order } from "../Order.ts"
import type { ProxyHealth } from "./ProxyHealth.ts"

/** A proxy that failed within this time is replaced free of charge. */
const failedWithin = { minutes: 10 }
/** Every proxy is replaced once within this time of its delivery. */
const firstDay = { hours: 24 }

/** Why a replacement is free, or why there is none. */
export const ReplacementReason = Schema.Literals(["failing", "first_day", "not_failing", "mobile", "not_offered"])
export type ReplacementReason = typeof ReplacementReason.Type

export interface ReplacementTerms {
  readonly free: boolean
  readonly reason: ReplacementReason
}

interface Facts {
  readonly order: Pick<Order, "cycle_started_at" | "mode" | "proxy_type">
  readonly health: ReadonlyArray<Pick<ProxyHealth, "failed_at" | "vantage">>
  /** True when the warranty has replaced the proxy before. */
  readonly isReplaced: boolean
  /** True when the provider can move a proxy to another address. */
  readonly canReplace: boolean
}

/** Decides whether the warranty replaces a proxy now. The own node of a proxy may be wrong about it, so it does not count. */
export const replacementTerms = (
  { canReplace, health, isReplaced, order }: Facts,
  now: DateTime.Utc
): ReplacementTerms => {
  if (isMobileRotating(order)) return { free: false, reason: "mobile" }
  if (!canReplace) return { free: false, reason: "not_offered" }
  const since = DateTime.subtract(now, failedWithin)
  const isFailing = health.some(
    ({ failed_at, vantage }) =>
      vantage !== "self" && failed_at !== null && DateTime.isGreaterThanOrEqualTo(failed_at, since)
  )
  if (isFailing) return { free: true, reason: "failing" }
  const { cycle_started_at } = order
  const isNew = cycle_started_at !== null && DateTime.isLessThan(now, DateTime.add(cycle_started_at, firstDay))
  return isNew && !isReplaced ? { free: true, reason: "first_day" } : { free: false, reason: "not_failing" }
}
