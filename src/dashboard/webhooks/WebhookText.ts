import type { LoggedDelivery } from "../../webhooks/LoggedDelivery.ts"
import type { WebhookAttempt } from "../../webhooks/WebhookAttempt.ts"
import type { DeliveryStatus } from "../../webhooks/WebhookDelivery.ts"
import type { WebhookEndpoint } from "../../webhooks/WebhookEndpoint.ts"
import { number } from "../../pages/Format.ts"
import { type Html, html, type Phrase, text } from "../../pages/Html.ts"

/** The statuses of a delivery: their names, their meanings, and the classes of their marks. */
export const statusText = {
  pending: { name: text("webhooks.status_pending"), about: text("webhooks.about_pending"), mark: "mark unknown" },
  delivered: { name: text("webhooks.status_delivered"), about: text("webhooks.about_delivered"), mark: "mark good" },
  failed: { name: text("webhooks.status_failed"), about: text("webhooks.about_failed"), mark: "mark bad" },
  abandoned: { name: text("webhooks.status_abandoned"), about: text("webhooks.about_abandoned"), mark: "mark bad" },
  cancelled: { name: text("webhooks.status_cancelled"), about: text("webhooks.about_cancelled"), mark: "mark" }
} satisfies Readonly<Record<DeliveryStatus, { name: Phrase; about: Phrase; mark: string }>>

/** Limit of the characters of a URL in a heading or a list. */
const mostCharacters = 80

/** Shortens a URL. The form that changes it has all of it. */
export const shortened = (url: string): string =>
  url.length > mostCharacters ? `${url.slice(0, mostCharacters - 1)}…` : url

export const urlText = (url: string): Html => html`<bdi>${shortened(url)}</bdi>`

export const statusMark = (status: DeliveryStatus): Html =>
  html`<span class="${statusText[status].mark}">${statusText[status].name}</span>`

export const stateMark = ({ enabled }: WebhookEndpoint): Html =>
  enabled
    ? html`<span class="mark good">${text("webhooks.on")}</span>`
    : html`<span class="mark">${text("webhooks.off")}</span>`

/** The change that an event reports, in the words of the API. */
export const changeText = ({ is_test, previous_status, status }: LoggedDelivery["event"]): Html =>
  html`${previous_status !== null && html`<code>${previous_status}</code> → `}<code>${status}</code>${is_test && html` <span class="mark">${text("webhooks.test_event")}</span>`}`

/** The result of an attempt: the answer, the time, and the reason of a failure. */
export const attemptText = ({ duration_ms, error, status_code }: WebhookAttempt): Html => {
  const reason = error !== null && html` ${text("webhooks.reason", { reason: html`<span lang="en">${error}</span>` })}`
  if (duration_ms === null) return html`${error === null && text("webhooks.under_way")}${reason}`
  const ms = number(duration_ms)
  // A code is no amount, so it has no separators.
  const code = String(status_code)
  if (status_code === null) return html`${text("webhooks.unreached_in", { ms })}${reason}`
  if (error === null) return html`${text("webhooks.delivered_in", { code, ms })}`
  return html`${text("webhooks.refused_in", { code, ms })}${reason}`
}
