import { choices, field, type Faults, hidden } from "../../pages/Field.ts"
import { moment, until } from "../../pages/Format.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import type { WebhookEndpoint, WebhookEndpointId } from "../../webhooks/WebhookEndpoint.ts"
import { deskPage } from "../desk/DeskPage.ts"
import type { Visit } from "../desk/Visit.ts"
import { type MadeSecret, secretOnce } from "./SecretOnce.ts"
import { signatureGuide } from "./SignatureGuide.ts"
import { shortened, stateMark, urlText } from "./WebhookText.ts"

/** What was typed into the form for a new endpoint. */
interface Typed {
  readonly field: (name: string) => string | undefined
}

export interface Endpoints {
  readonly endpoints: ReadonlyArray<WebhookEndpoint>
  /** Makes a form that is sent twice create one endpoint. */
  readonly nonce: string
  readonly created?: MadeSecret & { readonly id: WebhookEndpointId | undefined }
  readonly faults?: Faults
  readonly typed?: Typed
  readonly notice?: Content
}

const listed = ({ now, pathTo }: Visit, endpoints: ReadonlyArray<WebhookEndpoint>): Html =>
  table<WebhookEndpoint>(
    [
      {
        as: "name",
        head: text("webhooks.endpoint"),
        cell: ({ id, url }) => html`<a href="${pathTo(`webhooks/${id}`)}">${urlText(url)}</a>`
      },
      { head: text("webhooks.state"), label: text("webhooks.state"), cell: stateMark },
      {
        head: text("webhooks.failing_since"),
        label: text("webhooks.failing_since"),
        cell: ({ failing_since }) =>
          failing_since === null ? "–" : html`<span class="mark bad">${moment(failing_since)}</span>`
      },
      {
        head: text("webhooks.last_delivery"),
        label: text("webhooks.last_delivery"),
        cell: ({ last_delivery_at }) =>
          last_delivery_at === null ? text("webhooks.never") : until(last_delivery_at, now)
      },
      {
        as: "go",
        head: html`<span class="hidden">${text("desk.actions")}</span>`,
        cell: ({ id, url }) =>
          html`<a
            class="button small"
            href="${pathTo(`webhooks/${id}`)}"
            aria-label="${text("webhooks.open_label", { url: shortened(url) })}"
            >${text("webhooks.open_button")}</a
          >`
      }
    ],
    endpoints
  )

const newEndpoint = ({ form, pathTo }: Visit, { endpoints, faults = {}, nonce, typed }: Endpoints): Html => {
  const chosen = typed === undefined ? (endpoints.some(({ enabled }) => enabled) ? "" : "on") : typed.field("enabled")
  return form(
    pathTo("webhooks"),
    html`${hidden("nonce", nonce)}
      ${field({
        name: "url",
        label: text("webhooks.url"),
        hint: text("webhooks.url_hint"),
        autocomplete: "off",
        more: html` inputmode="url" spellcheck="false"`,
        value: typed?.field("url"),
        error: faults["url"]
      })}
      ${choices({
        type: "checkbox",
        name: "enabled",
        label: text("webhooks.enabled"),
        error: faults["enabled"],
        chosen: [chosen ?? ""],
        options: [{ value: "on", title: text("webhooks.enabled_title"), detail: text("webhooks.enabled_detail") }]
      })}
      <div><button class="primary">${text("webhooks.create_button")}</button></div>`,
    { class: "stack" }
  )
}

const created = ({ pathTo }: Visit, made: NonNullable<Endpoints["created"]>): Html =>
  secretOnce(made, {
    title: text("webhooks.created"),
    already: text("webhooks.created_already"),
    next:
      made.id !== undefined &&
      html`${text("webhooks.try_it")} <a href="${pathTo(`webhooks/${made.id}`)}">${text("webhooks.open_it")}</a>`
  })

/** The webhook endpoints of an account, the form for a new one, and the guide for receivers. */
export const endpointsPage = (visit: Visit, page: Endpoints): Page =>
  deskPage(
    visit,
    {
      title: text("desk.webhooks"),
      section: "webhooks",
      lead: text("webhooks.about"),
      notice: page.notice,
      ...(page.faults !== undefined && { faults: page.faults })
    },
    html`${page.created !== undefined && created(visit, page.created)}
      <section class="card" aria-labelledby="list">
        <h2 id="list">${text("webhooks.list_title")}</h2>
        ${page.endpoints.length === 0 ? html`<p>${text("webhooks.none")}</p>` : listed(visit, page.endpoints)}
      </section>
      <section class="card" aria-labelledby="new">
        <h2 id="new">${text("webhooks.new_title")}</h2>
        ${newEndpoint(visit, page)}
      </section>
      ${signatureGuide}`
  )
