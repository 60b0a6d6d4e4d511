import type { DateTime } from "effect"
import { type Faults, hidden } from "../../pages/Field.ts"
import { moment } from "../../pages/Format.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import type { LoggedDelivery } from "../../webhooks/LoggedDelivery.ts"
import type { WebhookAttempt } from "../../webhooks/WebhookAttempt.ts"
import type { WebhookEndpoint } from "../../webhooks/WebhookEndpoint.ts"
import { deskPage } from "../desk/DeskPage.ts"
import type { Visit } from "../desk/Visit.ts"
import { attemptText, changeText, statusMark, statusText, urlText } from "./WebhookText.ts"

type Delivery = LoggedDelivery & { readonly attempts: ReadonlyArray<WebhookAttempt> }

export interface DeliveryView {
  readonly endpoint: WebhookEndpoint
  readonly delivery: Delivery
  /** Makes a form that is sent twice send the event again once. */
  readonly nonce: string
  readonly faults?: Faults
  readonly notice?: Content
}

/** The seconds between two looks at a delivery that has not ended. */
const seconds = 5

const fact = (name: Content, value: Content): Html =>
  html`<dt>${name}</dt>
    <dd>${value}</dd>`

const timed = (name: Content, time: DateTime.Utc | null): Content => time !== null && fact(name, moment(time))

const facts = ({ pathTo }: Visit, { event, finished_at, id, next_attempt_at, status }: Delivery): Html =>
  html`<dl class="facts">
    ${fact(text("webhooks.status"), html`${statusMark(status)}<br /><small>${statusText[status].about}</small>`)}
    ${fact(text("webhooks.change"), changeText(event))} ${timed(text("webhooks.occurred"), event.occurred_at)}
    ${timed(text("webhooks.next_attempt"), next_attempt_at)} ${timed(text("webhooks.finished"), finished_at)}
    ${
      !event.is_test &&
      fact(
        text("webhooks.order"),
        html`<a href="${pathTo(`proxies/${event.order_id}`)}"><code>${event.order_id}</code></a>`
      )
    }
    ${fact(text("webhooks.event_id"), html`<code>${event.id}</code>`)}
    ${fact(text("webhooks.delivery_id"), html`<code>${id}</code>`)}
  </dl>`

const attempted = (attempts: ReadonlyArray<WebhookAttempt>): Html =>
  table<WebhookAttempt>(
    [
      {
        as: "name",
        head: text("webhooks.attempt"),
        cell: ({ attempt }) => text("webhooks.attempt_number", { number: attempt })
      },
      {
        head: text("webhooks.started"),
        label: text("webhooks.started"),
        cell: ({ started_at }) => moment(started_at)
      },
      { head: text("webhooks.result"), cell: attemptText }
    ],
    attempts
  )

const sendingAgain = ({ form }: Visit, path: string, { delivery, nonce }: DeliveryView): Html =>
  html`<section class="card stack" aria-labelledby="again">
    <h2 id="again">${text("webhooks.again_title")}</h2>
    ${
      delivery.event.is_test
        ? html`<p>${text("webhooks.again_not_test")}</p>`
        : html`<p>${text("webhooks.again_about")}</p>
            ${form(
              `${path}/redeliver`,
              html`${hidden("nonce", nonce)}<button>${text("webhooks.again_button")}</button>`
            )}`
    }
  </section>`

/** One delivery of an event: its state, its attempts, and the button that sends the event again. */
export const deliveryPage = (visit: Visit, view: DeliveryView): Page => {
  const { delivery, endpoint, faults, notice } = view
  const path = visit.pathTo(`webhooks/${endpoint.id}`)
  const isPending = delivery.status === "pending"
  return deskPage(
    visit,
    {
      title: text("webhooks.delivery_title", { host: new URL(endpoint.url).host }),
      section: "webhooks",
      back: [path, urlText(endpoint.url)],
      notice,
      reloadSeconds: isPending ? seconds : undefined,
      ...(faults !== undefined && { faults })
    },
    html`<div class="stack" id="delivery" aria-live="polite" ${isPending && html` data-live="${seconds}"`}>
        <section class="card" aria-labelledby="state">
          <h2 id="state">${text("webhooks.delivery")}</h2>
          ${facts(visit, delivery)}
        </section>
        <section class="card" aria-labelledby="attempts">
          <h2 id="attempts">${text("webhooks.attempts")}</h2>
          ${
            delivery.attempts.length === 0
              ? html`<p>${text("webhooks.attempts_none")}</p>`
              : attempted(delivery.attempts)
          }
        </section>
      </div>
      ${sendingAgain(visit, `${path}/deliveries/${delivery.id}`, view)}`
  )
}
