import { Duration } from "effect"
import type { DeliveryStatus } from "./WebhookDelivery.ts"

export const maxAttempts = 5

const retryable = new Set([408, 409, 425, 429])
const isRetryable = (status: number | null) =>
  status === null || retryable.has(status) || (status >= 500 && status < 600)

/** Waits 30 s, 1 min, 2 min and 4 min. If `maxAttempts` grows, a wait still has at most two hours. */
const waitAfter = (attempt: number) => Duration.min(Duration.seconds(30 * 2 ** (attempt - 1)), Duration.hours(2))

export type Verdict =
  | { readonly status: Exclude<DeliveryStatus, "pending" | "cancelled"> }
  | { readonly status: "pending"; readonly wait: Duration.Duration }

/**
 * Decides what follows an attempt: delivered, failed, abandoned, or another attempt. `attempt` counts from 1; a status of
 * null means no answer (docs/contract.md, "Webhooks").
 */
export const verdict = (attempt: number, status: number | null): Verdict => {
  if (status !== null && status >= 200 && status < 300) return { status: "delivered" }
  if (!isRetryable(status)) return { status: "failed" }
  return attempt < maxAttempts ? { status: "pending", wait: waitAfter(attempt) } : { status: "abandoned" }
}
