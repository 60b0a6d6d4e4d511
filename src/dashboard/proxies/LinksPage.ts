import type { DownloadLink } from "../../orders/exports/DownloadLink.ts"
import { ListedProxyStatus } from "../../orders/OrderFilter.ts"
import { linksPerAccount } from "../../orders/exports/DownloadLinkErrors.ts"
import { copyLine } from "../../pages/Copying.ts"
import { type Faults, field, hidden, select } from "../../pages/Field.ts"
import { country, date, until } from "../../pages/Format.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { kindText } from "../desk/ProxyText.ts"
import { question } from "../desk/Question.ts"
import type { Visit } from "../desk/Visit.ts"
import { exportFields } from "./ExportChoice.ts"
import { kindField, sortField } from "./FilterFields.ts"
import { stateText } from "./ProxyWords.ts"

interface Typed {
  readonly field: (name: string) => string | undefined
}

export interface Links {
  readonly links: ReadonlyArray<DownloadLink>
  /** Makes a form that is sent twice create one link. */
  readonly nonce: string
  /** A link that was just created. `url` is undefined when the form was sent again: it was shown already. */
  readonly created?: { readonly name: string; readonly url: string | undefined }
  readonly faults?: Faults
  readonly typed?: Typed
  readonly notice?: Content
}

const createdLink = ({ name, url }: NonNullable<Links["created"]>): Html =>
  url === undefined
    ? html`<p class="note" role="status">${text("proxy_list.link_shown_already", { name })}</p>`
    : html`<section class="card stack" role="status" aria-labelledby="created">
        <h2 id="created">${text("proxy_list.link_created", { name })}</h2>
        <p>${text("proxy_list.link_copy_now")}</p>
        ${copyLine("url", text("proxy_list.link"), url)}
        <pre>curl ${url}</pre>
      </section>`

/** What a link downloads, in words. */
const contents = ({ country: code, format, proxy_status, proxy_type, q, template }: DownloadLink): Html =>
  html`${template === null ? format.toUpperCase() : html`<code>${template.slice(0, 100)}</code>`}<br /><small
      >${proxy_status === null ? text("proxy_list.running") : stateText(proxy_status)}${
        proxy_type !== null && html`, ${kindText[proxy_type]}`
      }${code !== null && html`, ${country(code)}`}${q !== null && html`, <bdi>${q}</bdi>`}</small
    >`

const revoking = ({ form, pathTo }: Visit, { id, name }: DownloadLink): Html =>
  question(
    `revoke-${id}`,
    {
      button: text("proxy_list.link_revoke_button"),
      title: text("proxy_list.link_revoke_title", { name }),
      about: text("proxy_list.link_revoke_about"),
      keep: text("proxy_list.link_keep_button"),
      className: "danger small"
    },
    form(
      pathTo(`proxies/links/${id}/revoke`),
      html`<button class="danger">${text("proxy_list.link_revoke_confirm_button")}</button>`
    )
  )

const listed = (visit: Visit, links: ReadonlyArray<DownloadLink>): Html =>
  table<DownloadLink>(
    [
      { as: "name", head: text("proxy_list.link"), cell: ({ name }) => html`<bdi>${name}</bdi>` },
      { head: text("proxy_list.link_contents"), cell: contents },
      {
        head: text("proxy_list.link_last_used"),
        label: text("proxy_list.link_last_used"),
        cell: ({ last_used_at }) =>
          last_used_at === null ? text("proxy_list.link_never") : until(last_used_at, visit.now)
      },
      {
        head: text("proxy_list.link_created_at"),
        label: text("proxy_list.link_created_at"),
        cell: ({ created_at }) => date(created_at)
      },
      {
        as: "go",
        head: html`<span class="hidden">${text("desk.actions")}</span>`,
        cell: (link) => revoking(visit, link)
      }
    ],
    links
  )

const filters = (typed: Typed, faults: Faults): Html =>
  html`<div class="two">
      ${kindField({ value: typed.field("proxy_type"), error: faults["proxy_type"] })}
      ${select({
        name: "proxy_status",
        label: text("proxies.state"),
        value: typed.field("proxy_status"),
        error: faults["proxy_status"],
        options: [
          ["", text("proxy_list.running")],
          ...ListedProxyStatus.literals.map((status) => [status, stateText(status)] as const)
        ]
      })}
      ${field({
        name: "country",
        label: text("proxy_list.country"),
        hint: text("proxy_list.country_hint"),
        optional: true,
        autocomplete: "off",
        value: typed.field("country"),
        error: faults["country"]
      })}
      ${sortField({ value: typed.field("sort"), error: faults["sort"] })}
    </div>
    ${field({
      name: "q",
      label: text("proxy_list.search"),
      hint: text("proxy_list.search_hint"),
      optional: true,
      autocomplete: "off",
      value: typed.field("q"),
      error: faults["q"]
    })}`

const newLink = ({ form, pathTo }: Visit, { faults = {}, nonce, typed = { field: () => undefined } }: Links): Html =>
  form(
    pathTo("proxies/links"),
    html`${hidden("nonce", nonce)}
      ${field({
        name: "name",
        label: text("proxy_list.link_name"),
        hint: text("proxy_list.link_name_hint"),
        autocomplete: "off",
        value: typed.field("name"),
        error: faults["name"]
      })}
      ${exportFields({ format: typed.field("format"), template: typed.field("template"), faults })}
      ${filters(typed, faults)}
      <div><button class="primary">${text("proxy_list.link_create_button")}</button></div>`,
    { class: "stack" }
  )

/** The download links of an account, and the form for a new one. */
export const linksPage = (visit: Visit, shown: Links): Page =>
  deskPage(
    visit,
    {
      title: text("proxy_list.links_title"),
      section: "proxies",
      back: [visit.pathTo("proxies"), text("desk.proxies")],
      lead: text("proxy_list.links_about"),
      notice: shown.notice,
      ...(shown.faults !== undefined && { faults: shown.faults })
    },
    html`${shown.created !== undefined && createdLink(shown.created)}
      <section class="card" aria-labelledby="links">
        <h2 id="links">${text("proxy_list.links_list")}</h2>
        ${shown.links.length === 0 ? html`<p>${text("proxy_list.links_none")}</p>` : listed(visit, shown.links)}
      </section>
      <section class="card" aria-labelledby="new">
        <h2 id="new">${text("proxy_list.link_new_title")}</h2>
        ${
          shown.links.length < linksPerAccount
            ? newLink(visit, shown)
            : html`<p>${text("failure.TooManyDownloadLinks")}</p>`
        }
      </section>`
  )
