import { DateTime } from "effect"
import { type LocalText, minute, say } from "../brand/LocalText.ts"
import type { Notice } from "../notifications/Notifications.ts"
import type { WebhookEndpoint } from "./WebhookEndpoint.ts"

/** The owner gets a warning at least one day before the service disables the endpoint. */
const warnedAfter = { days: 4 }
const disabledAfter = { days: 5 }
const warning = { days: 1 }

export type Health = Pick<
  WebhookEndpoint,
  "enabled" | "failing_since" | "failure_warned_at" | "last_delivery_at" | "updated_at"
>

export interface Ended {
  readonly delivered: boolean
  readonly ended_at: DateTime.Utc
}

const latest = (a: DateTime.Utc | null, b: DateTime.Utc) => (a === null ? b : DateTime.max(a, b))

/**
 * The health of an endpoint after an attempt. Five days of failures disable an endpoint whose owner was warned. A failure
 * that is older than the last delivery does not count.
 */
export const after = <H extends Health>(health: H, { delivered, ended_at }: Ended): H => {
  if (delivered) {
    const last_delivery_at = latest(health.last_delivery_at, ended_at)
    return { ...health, failing_since: null, failure_warned_at: null, last_delivery_at }
  }
  if (health.last_delivery_at !== null && DateTime.isLessThan(ended_at, health.last_delivery_at)) return health
  const failing_since = health.failing_since ?? ended_at
  const failing = { ...health, failing_since }
  const lasts = (since: DateTime.Utc, time: { readonly days: number }) =>
    DateTime.isLessThanOrEqualTo(DateTime.add(since, time), ended_at)
  if (!health.enabled) return failing
  if (health.failure_warned_at === null)
    return lasts(failing_since, warnedAfter) ? { ...failing, failure_warned_at: ended_at } : failing
  return lasts(failing_since, disabledAfter) && lasts(health.failure_warned_at, warning)
    ? { ...failing, enabled: false, updated_at: ended_at }
    : failing
}

type OwnedHealth = Health & Pick<WebhookEndpoint, "id" | "user_id" | "url">

const failing = (host: string, since: DateTime.Utc | null): LocalText =>
  since === null
    ? say("notice.webhook_failing", { host })
    : say("notice.webhook_failing_since", { host, time: minute(since) })

const disabled = (host: string, since: DateTime.Utc | null): LocalText =>
  since === null
    ? say("notice.webhook_disabled", { host })
    : say("notice.webhook_disabled_since", { host, time: minute(since) })

/** The notices to the owner about a change of an endpoint's health. */
export const noticesOf = (before: OwnedHealth, now: OwnedHealth): ReadonlyArray<Notice> => {
  const about = { user_id: now.user_id, order_id: null, endpoint_id: now.id }
  const { host } = new URL(now.url)
  if (before.enabled && !now.enabled)
    return [{ ...about, kind: "webhook_disabled", message: disabled(host, now.failing_since) }]
  return before.failure_warned_at === null && now.failure_warned_at !== null
    ? [{ ...about, kind: "webhook_failing", message: failing(host, now.failing_since) }]
    : []
}
