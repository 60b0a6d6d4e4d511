import { copyLine } from "../../pages/Copying.ts"
import { area, choices, type Faults, field, hidden } from "../../pages/Field.ts"
import { date, moment } from "../../pages/Format.ts"
import { type Content, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import { may } from "../../staff/Actor.ts"
import type { StaffToken } from "../../staff/members/StaffToken.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"

interface Typed {
  readonly faults?: Faults
  readonly notice?: Phrase
  readonly field?: (name: string) => string | undefined
  readonly all?: (name: string) => ReadonlyArray<string>
}

const tokens = ({ actor, form, pathTo }: AdminVisit, items: ReadonlyArray<StaffToken>): Content =>
  table<StaffToken>(
    [
      {
        head: text("admin.name"),
        as: "name",
        cell: ({ name, prefix }) => html`${name} <small><code>${prefix}…</code></small>`
      },
      {
        head: text("admin.permissions"),
        cell: ({ allowed_ips, permissions }) =>
          html`${permissions.join(", ")} <small>${(allowed_ips ?? []).join(", ")}</small>`,
        label: text("admin.permissions")
      },
      { head: text("admin.expires"), cell: ({ expires_at }) => date(expires_at), label: text("admin.expires") },
      {
        head: text("admin.last_used"),
        cell: ({ last_used_at }) => (last_used_at === null ? text("admin.never") : moment(last_used_at)),
        label: text("admin.last_used")
      },
      {
        head: "",
        as: "go",
        cell: ({ id }) =>
          may(actor, "staff.change") &&
          form(
            pathTo("tokens/revoke"),
            html`${hidden("id", id)}<button class="danger small">${text("admin.revoke_button")}</button>`
          )
      }
    ],
    items
  )

const newToken = ({ actor, form, pathTo }: AdminVisit, typed: Typed): Content => {
  const { all = () => [], faults = {}, field: given = () => undefined } = typed
  return html`<section class="card" aria-labelledby="new">
    <h2 id="new">${text("admin.new_token_title")}</h2>
    ${form(
      pathTo("tokens"),
      html`<div class="stack">
        ${field({ name: "name", label: text("admin.name"), autocomplete: "off", value: given("name"), error: faults["name"] })}
        ${choices({ name: "permissions", type: "checkbox", label: text("admin.permissions"), chosen: all("permissions"), error: faults["permissions"], options: [...(actor.permissions ?? [])].map((permission) => ({ value: permission, title: permission })) })}
        ${field({ name: "days", label: text("admin.days"), type: "number", autocomplete: "off", value: given("days") ?? "90", error: faults["days"] })}
        ${area({ name: "allowed_ips", label: text("admin.addresses"), hint: text("admin.addresses_hint"), optional: true, value: given("allowed_ips"), error: faults["allowed_ips"] })}
        <div><button class="primary">${text("admin.create_token_button")}</button></div>
      </div>`
    )}
  </section>`
}

interface TokenList {
  readonly items: ReadonlyArray<StaffToken>
  readonly next: string | null
}

/** The tokens of all staff, and the form that creates one. */
export const tokensPage = (visit: AdminVisit, { items, next }: TokenList, typed: Typed = {}): Page => {
  const { actor, pathTo } = visit
  return adminPage(
    visit,
    {
      title: text("admin.tokens"),
      section: "tokens",
      lead: text("admin.tokens_lead"),
      faults: typed.faults ?? {},
      ...(typed.notice !== undefined && { notice: typed.notice })
    },
    html`${items.length === 0 ? html`<p>${text("admin.tokens_none")}</p>` : tokens(visit, items)}
    ${next !== null && html`<p><a class="button small" href="${pathTo("tokens")}?after=${next}">${text("admin.next_page")}</a></p>`}
    ${may(actor, "staff.change") && newToken(visit, typed)}`
  )
}

/** Shows a token, which no later page does. */
export const tokenPage = (visit: AdminVisit, token: string): Page =>
  adminPage(
    visit,
    {
      title: text("admin.token_created_title"),
      section: "tokens",
      back: [visit.pathTo("tokens"), text("admin.tokens")],
      lead: text("admin.token_created")
    },
    html`<section class="card">${copyLine("token", text("admin.token"), token)}</section>`
  )
