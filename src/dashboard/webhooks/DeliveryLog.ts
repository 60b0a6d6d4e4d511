import { moment } from "../../pages/Format.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import { paging, type Part } from "../../pages/Paging.ts"
import { table } from "../../pages/Table.ts"
import type { LoggedDelivery } from "../../webhooks/LoggedDelivery.ts"
import { DeliveryStatus } from "../../webhooks/WebhookDelivery.ts"
import { changeText, statusMark, statusText } from "./WebhookText.ts"

export interface DeliveryLog {
  readonly deliveries: ReadonlyArray<LoggedDelivery>
  readonly part: Part
  /** Only deliveries of this status; all when undefined. */
  readonly status: DeliveryStatus | undefined
}

const listed = (path: string, deliveries: ReadonlyArray<LoggedDelivery>): Html =>
  table<LoggedDelivery>(
    [
      {
        as: "name",
        head: text("webhooks.occurred"),
        cell: ({ event, id }) => html`<a href="${path}/deliveries/${id}">${moment(event.occurred_at)}</a>`
      },
      { head: text("webhooks.change"), label: text("webhooks.change"), cell: ({ event }) => changeText(event) },
      { head: text("webhooks.status"), label: text("webhooks.status"), cell: ({ status }) => statusMark(status) },
      {
        head: text("webhooks.attempts"),
        label: text("webhooks.attempts"),
        cell: ({ attempt }) => attempt
      }
    ],
    deliveries
  )

/** The deliveries to an endpoint, newest first. `path` is that of the endpoint's page. */
export const deliveryLog = (path: string, { deliveries, part, status }: DeliveryLog): Html => {
  const at = (chosen: DeliveryStatus | undefined) => (chosen === undefined ? path : `${path}?status=${chosen}`)
  const tab = (chosen: DeliveryStatus | undefined, label: Content) =>
    html`<a href="${at(chosen)}#log" ${chosen === status && html` aria-current="page"`}>${label}</a>`
  return html`<section class="card" aria-labelledby="log">
    <h2 id="log">${text("webhooks.log_title")}</h2>
    <nav class="tabs" aria-label="${text("webhooks.log_filter")}">
      ${tab(undefined, text("webhooks.status_all"))}
      ${DeliveryStatus.literals.map((one) => tab(one, statusText[one].name))}
    </nav>
    ${deliveries.length === 0 ? html`<p>${text("webhooks.log_none")}</p>` : listed(path, deliveries)}
    ${paging(part, (offset) => `${path}?${status === undefined ? "" : `status=${status}&`}offset=${offset}#log`)}
  </section>`
}
