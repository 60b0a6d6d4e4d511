import type { DateTime } from "effect"
import type { ApiKey } from "../../accounts/ApiKey.ts"
import { Scope } from "../../accounts/Scope.ts"
import { copyLine } from "../../pages/Copying.ts"
import { area, choices, field, type Faults, hidden, select } from "../../pages/Field.ts"
import { date, until, usd } from "../../pages/Format.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { paging, type Part } from "../../pages/Paging.ts"
import { table } from "../../pages/Table.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { programExamples } from "../desk/ProgramExamples.ts"
import { question } from "../desk/Question.ts"
import { scopeText } from "../desk/ScopeText.ts"
import type { Visit } from "../desk/Visit.ts"

/** What was typed into the form for a new key. */
interface Typed {
  readonly field: (name: string) => string | undefined
  readonly all: (name: string) => ReadonlyArray<string>
}

const nothing: Typed = { field: () => undefined, all: () => [] }

export interface Keys {
  readonly keys: ReadonlyArray<ApiKey>
  readonly part: Part
  /** Makes a form that is sent twice create one key. */
  readonly nonce: string
  /** The address of the API, for the example. */
  readonly base_url: string
  /** The address of its documentation. */
  readonly docs_url: string
  /** A key that was just created. `key` is undefined when the form was sent again: the key was shown already. */
  readonly created?: { readonly name: string; readonly key: string | undefined } | undefined
  readonly faults?: Faults
  readonly typed?: Typed
  readonly notice?: Content
}

const createdKey = (base_url: string, { key, name }: NonNullable<Keys["created"]>): Html =>
  key === undefined
    ? html`<p class="note" role="status">${text("keys.shown_already", { name })}</p>`
    : html`<section class="card stack" role="status" aria-labelledby="created">
        <h2 id="created">${text("keys.created", { name })}</h2>
        <p>${text("keys.copy_now")}</p>
        ${copyLine("key", text("keys.key"), key)} ${programExamples(base_url, key)}
      </section>`

const allowed = ({ allowed_ips, daily_spend_limit_usd, scopes }: ApiKey): Html =>
  html`${
      scopes === null
        ? text("keys.everything")
        : scopes.map((scope, index) => html`${index > 0 && ", "}${scopeText[scope].inSentence}`)
    }<br /><small
      >${allowed_ips === null ? text("keys.from_anywhere") : text("keys.from", { addresses: allowed_ips.join(", ") })}${
        daily_spend_limit_usd !== null &&
        (scopes === null || scopes.includes("orders:write")) &&
        html`, ${text("keys.up_to", { amount: usd(daily_spend_limit_usd) })}`
      }</small
    >`

const orNever = (time: DateTime.Utc | null, shown: (time: DateTime.Utc) => Html): Content =>
  time === null ? text("keys.never") : shown(time)

const revoking = ({ form, pathTo }: Visit, { id, name }: ApiKey): Html =>
  question(
    `revoke-${id}`,
    {
      button: text("keys.revoke_button"),
      title: text("keys.revoke_title", { name }),
      about: text("keys.revoke_about"),
      keep: text("keys.keep_button"),
      className: "danger small"
    },
    form(pathTo(`keys/${id}/revoke`), html`<button class="danger">${text("keys.revoke_confirm_button")}</button>`)
  )

const listed = (visit: Visit, keys: ReadonlyArray<ApiKey>): Html =>
  table<ApiKey>(
    [
      { as: "name", head: text("keys.key"), cell: ({ name, prefix }) => html`<b>${name}</b> <code>${prefix}…</code>` },
      { head: text("keys.may"), cell: allowed },
      {
        head: text("keys.last_used"),
        label: text("keys.last_used"),
        cell: ({ last_used_at }) => orNever(last_used_at, (time) => until(time, visit.now))
      },
      { head: text("keys.expires"), label: text("keys.expires"), cell: ({ expires_at }) => orNever(expires_at, date) },
      {
        as: "go",
        head: html`<span class="hidden">${text("desk.actions")}</span>`,
        cell: (key) => revoking(visit, key)
      }
    ],
    keys
  )

/** The choice between everything and some scopes. Nothing is chosen beforehand, because a key may spend money. */
const accessOf = (faults: Faults, typed: Typed): Html =>
  html`${choices({
    type: "radio",
    name: "access",
    label: text("keys.access"),
    error: faults["access"],
    chosen: typed.all("access"),
    options: [
      { value: "full", title: text("keys.access_full"), detail: text("keys.access_full_detail") },
      { value: "limited", title: text("keys.access_limited"), detail: text("keys.access_limited_detail") }
    ]
  })}
  ${choices({
    type: "checkbox",
    name: "scopes",
    label: text("keys.scopes"),
    error: faults["scopes"],
    chosen: typed.all("scopes"),
    options: Scope.literals.map((scope) => ({
      value: scope,
      title: scopeText[scope].title,
      detail: scopeText[scope].detail,
      aside: html`<code>${scope}</code>`
    }))
  })}`

const newKey = ({ form, pathTo }: Visit, { faults = {}, nonce, typed = nothing }: Keys): Html =>
  form(
    pathTo("keys"),
    html`${hidden("nonce", nonce)}
      <div class="two">
        ${field({
          name: "name",
          label: text("keys.name"),
          hint: text("keys.name_hint"),
          autocomplete: "off",
          value: typed.field("name"),
          error: faults["name"]
        })}
        ${select({
          name: "expires",
          label: text("keys.expires"),
          hint: text("keys.expires_hint"),
          value: typed.field("expires") ?? "90",
          error: faults["expires"],
          options: [
            ["30", text("keys.in_days", { days: 30 })],
            ["90", text("keys.in_days", { days: 90 })],
            ["365", text("keys.in_a_year")],
            ["never", text("keys.never")]
          ]
        })}
      </div>
      ${accessOf(faults, typed)}
      <div class="two">
        ${area({
          name: "allowed_ips",
          label: text("keys.only_from"),
          hint: text("keys.only_from_hint"),
          optional: true,
          rows: 2,
          value: typed.field("allowed_ips"),
          error: faults["allowed_ips"]
        })}
        ${field({
          name: "daily_spend_limit_usd",
          label: text("keys.limit"),
          hint: text("keys.limit_hint"),
          optional: true,
          autocomplete: "off",
          more: html` inputmode="decimal"`,
          value: typed.field("daily_spend_limit_usd"),
          error: faults["daily_spend_limit_usd"]
        })}
      </div>
      <div><button class="primary">${text("keys.create_button")}</button></div>`,
    { class: "stack" }
  )

/** The API keys of an account, and the form for a new one. */
export const keysPage = (visit: Visit, keys: Keys): Page =>
  deskPage(
    visit,
    {
      title: text("keys.title"),
      section: "keys",
      lead: text("keys.about"),
      notice: keys.notice,
      ...(keys.faults !== undefined && { faults: keys.faults })
    },
    html`${keys.created !== undefined && createdKey(keys.base_url, keys.created)}
      <p>
        ${text("keys.read", {
          docs: html`<a href="${keys.docs_url}">${text("keys.docs_link")}</a>`,
          guides: html`<a href="${keys.docs_url}/guides">${text("keys.guides_link")}</a>`
        })}
      </p>
      <section class="card" aria-labelledby="list">
        <h2 id="list">${text("keys.list_title")}</h2>
        ${keys.keys.length === 0 ? html`<p>${text("keys.none")}</p>` : listed(visit, keys.keys)}
        ${paging(keys.part, (offset) => `${visit.pathTo("keys")}?offset=${offset}`)}
      </section>
      <section class="card" aria-labelledby="new">
        <h2 id="new">${text("keys.new_title")}</h2>
        ${newKey(visit, keys)}
      </section>`
  )
