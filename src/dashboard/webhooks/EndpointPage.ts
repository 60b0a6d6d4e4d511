import { DateTime } from "effect"
import { field, type Faults, hidden, select } from "../../pages/Field.ts"
import { moment, until } from "../../pages/Format.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import type { LoggedDelivery } from "../../webhooks/LoggedDelivery.ts"
import type { WebhookAttempt } from "../../webhooks/WebhookAttempt.ts"
import type { WebhookEndpoint } from "../../webhooks/WebhookEndpoint.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { question } from "../desk/Question.ts"
import type { Visit } from "../desk/Visit.ts"
import { type DeliveryLog, deliveryLog } from "./DeliveryLog.ts"
import { type MadeSecret, secretOnce } from "./SecretOnce.ts"
import { attemptText, stateMark, statusMark, urlText } from "./WebhookText.ts"

export interface EndpointView {
  readonly endpoint: WebhookEndpoint
  readonly log: DeliveryLog
  /** The test that was just sent, with its attempts. */
  readonly test: (LoggedDelivery & { readonly attempts: ReadonlyArray<WebhookAttempt> }) | undefined
  /** Makes a form for another secret, when it is sent twice, replace the secret once. */
  readonly nonce: string
  readonly rotated?: MadeSecret
  readonly faults?: Faults
  readonly typed?: { readonly field: (name: string) => string | undefined }
  readonly notice?: Content
}

const orNever = (time: DateTime.Utc | null, now: DateTime.Utc): Content =>
  time === null ? text("webhooks.never") : until(time, now)

const fact = (name: Content, value: Content): Html =>
  html`<dt>${name}</dt>
    <dd>${value}</dd>`

const removing = ({ form }: Visit, path: string): Html =>
  question(
    "remove",
    {
      button: text("webhooks.remove_button"),
      title: text("webhooks.remove_title"),
      about: text("webhooks.remove_about"),
      keep: text("webhooks.keep_button")
    },
    form(`${path}/remove`, html`<button class="danger">${text("webhooks.remove_confirm_button")}</button>`)
  )

const switching = ({ form }: Visit, path: string, { enabled }: WebhookEndpoint): Html =>
  enabled
    ? question(
        "disable",
        {
          button: text("webhooks.disable_button"),
          title: text("webhooks.disable_title"),
          about: text("webhooks.disable_about"),
          keep: text("webhooks.leave_on_button")
        },
        form(`${path}/disable`, html`<button class="danger">${text("webhooks.disable_confirm_button")}</button>`)
      )
    : form(`${path}/enable`, html`<button>${text("webhooks.enable_button")}</button>`)

const state = (visit: Visit, path: string, endpoint: WebhookEndpoint): Html => {
  const { enabled, failing_since, last_delivery_at, last_test_at, previous_secret_ends_at: ends } = endpoint
  const { form, now } = visit
  return html`<section class="card stack" aria-labelledby="state">
    <h2 id="state">${text("webhooks.status_title")}</h2>
    ${!enabled && html`<p class="note">${text("webhooks.off_note")}</p>`}
    ${
      failing_since !== null &&
      html`<p class="note">${text("webhooks.failing_note", { when: moment(failing_since) })}</p>`
    }
    <dl class="facts">
      ${fact(text("webhooks.state"), stateMark(endpoint))}
      ${fact(text("webhooks.last_delivery"), orNever(last_delivery_at, now))}
      ${fact(text("webhooks.last_test"), orNever(last_test_at, now))}
      ${fact(text("webhooks.secret_shown"), html`<code>${endpoint.secret_preview}</code>`)}
      ${ends !== null && DateTime.isGreaterThan(ends, now) && fact(text("webhooks.old_secret"), moment(ends))}
    </dl>
    <div class="row">
      ${form(`${path}/test`, html`<button class="primary">${text("webhooks.test_button")}</button>`)}
      ${switching(visit, path, endpoint)} ${removing(visit, path)}
    </div>
  </section>`
}

const tested = (path: string, { attempts, id, status }: NonNullable<EndpointView["test"]>): Html =>
  html`<section class="card stack" role="status" aria-labelledby="test">
    <h2 id="test">${text("webhooks.test_title")}</h2>
    <p>${statusMark(status)} ${attempts.map(attemptText)}</p>
    <p><a href="${path}/deliveries/${id}">${text("webhooks.see_delivery")}</a></p>
  </section>`

const changing = ({ form }: Visit, path: string, { endpoint, faults = {}, typed }: EndpointView): Html =>
  html`<section class="card" aria-labelledby="change">
    <h2 id="change">${text("webhooks.change_title")}</h2>
    ${form(
      `${path}/url`,
      html`${field({
          name: "url",
          label: text("webhooks.url"),
          hint: text("webhooks.change_about"),
          autocomplete: "off",
          more: html` inputmode="url" spellcheck="false"`,
          value: faults["url"] === undefined ? endpoint.url : typed?.field("url"),
          error: faults["url"]
        })}
        <div><button>${text("webhooks.save_button")}</button></div>`,
      { class: "stack" }
    )}
  </section>`

const rotating = ({ form }: Visit, path: string, { faults = {}, nonce, typed }: EndpointView): Html =>
  html`<section class="card stack" aria-labelledby="rotate">
    <h2 id="rotate">${text("webhooks.rotate_title")}</h2>
    <p>${text("webhooks.rotate_about")}</p>
    ${form(
      `${path}/secret`,
      html`${hidden("nonce", nonce)}
        ${select({
          name: "overlap_seconds",
          label: text("webhooks.overlap"),
          hint: text("webhooks.overlap_hint"),
          value: typed?.field("overlap_seconds") ?? "86400",
          error: faults["overlap_seconds"],
          options: [
            ["0", text("webhooks.overlap_0")],
            ["3600", text("webhooks.overlap_3600")],
            ["86400", text("webhooks.overlap_86400")],
            ["604800", text("webhooks.overlap_604800")]
          ]
        })}
        <div><button>${text("webhooks.rotate_button")}</button></div>`,
      { class: "stack" }
    )}
  </section>`

/** One webhook endpoint: its state, its deliveries, and all that can be changed. */
export const endpointPage = (visit: Visit, view: EndpointView): Page => {
  const { endpoint, faults, log, notice, rotated, test } = view
  const path = visit.pathTo(`webhooks/${endpoint.id}`)
  return deskPage(
    visit,
    {
      title: urlText(endpoint.url),
      section: "webhooks",
      back: [visit.pathTo("webhooks"), text("desk.webhooks")],
      notice,
      ...(faults !== undefined && { faults })
    },
    html`${
        rotated !== undefined &&
        secretOnce(rotated, { title: text("webhooks.rotated"), already: text("webhooks.rotated_already") })
      }
      ${test !== undefined && tested(path, test)} ${state(visit, path, endpoint)} ${deliveryLog(path, log)}
      <div class="two">${changing(visit, path, view)} ${rotating(visit, path, view)}</div>`
  )
}
