import { area, type Faults, field, hidden, select } from "../../pages/Field.ts"
import { moment } from "../../pages/Format.ts"
import { type Content, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import { may } from "../../staff/Actor.ts"
import type { RuleView } from "../../staff/abuse/DestinationRulesApi.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"

type Rule = typeof RuleView.Type

interface Typed {
  readonly faults?: Faults
  readonly field?: (name: string) => string | undefined
}

const scopes = {
  platform: text("rule.platform"),
  account: text("rule.account"),
  article: text("rule.article"),
  proxy: text("rule.proxy")
} satisfies Record<Rule["scope"], Phrase>

const actions = {
  deny: text("rule.deny"),
  allow: text("rule.allow")
} satisfies Record<Rule["action"], Phrase>

const destinationOf = ({ first_port, host_suffix, last_port, network }: Rule): Content => {
  const what = html`<code>${host_suffix ?? network ?? text("rule.every")}</code>`
  if (first_port === null) return what
  return text("rule.ports_text", {
    what,
    ports: first_port === last_port ? `${first_port}` : `${first_port}-${last_port}`
  })
}

const scopeOf = ({ pathTo }: AdminVisit, { scope, scope_id }: Rule): Content => [
  scopes[scope],
  scope_id !== null &&
    html` <small
      >${scope === "account" ? html`<a href="${pathTo(`customers/${scope_id}`)}">${scope_id}</a>` : scope_id}</small
    >`
]

const untilOf = ({ until_at }: Rule): Content => (until_at === null ? text("rule.until_removed") : moment(until_at))

const backToRules = ({ pathTo }: AdminVisit) => [pathTo("destinations"), text("rule.title")] as const

interface ShownRules {
  readonly items: ReadonlyArray<Rule>
  readonly next: string | null
  readonly notice?: Content
}

/** The rules about destinations. */
export const rulesPage = (visit: AdminVisit, { items, next, notice }: ShownRules): Page => {
  const { actor, pathTo } = visit
  const mayChange = may(actor, "gateway.change")
  return adminPage(
    visit,
    {
      title: text("rule.title"),
      section: "destinations",
      lead: text("rule.lead"),
      ...(notice !== undefined && { notice }),
      ...(mayChange && {
        actions: html`<a class="button" href="${pathTo("destinations/new")}">${text("rule.new_link")}</a>`
      })
    },
    html`${
      items.length === 0
        ? html`<p>${text("rule.none")}</p>`
        : table<Rule>(
            [
              {
                head: text("rule.rule"),
                as: "name",
                cell: (rule) => html`${actions[rule.action]}: ${destinationOf(rule)} <small>${rule.reason}</small>`
              },
              { head: text("rule.scope"), label: text("rule.scope"), cell: (rule) => scopeOf(visit, rule) },
              { head: text("admin.ends"), label: text("admin.ends"), cell: untilOf },
              {
                head: text("admin.who"),
                label: text("admin.who"),
                cell: ({ placed_at, placed_by }) => html`${placed_by} <small>${moment(placed_at)}</small>`
              },
              {
                head: html`<span class="hidden">${text("desk.actions")}</span>`,
                as: "go",
                cell: ({ id }) =>
                  mayChange &&
                  html`<a class="button small" href="${pathTo(`destinations/${id}`)}">${text("rule.remove_link")}</a>`
              }
            ],
            items
          )
    }
    ${next !== null && html`<p><a class="button small" href="${pathTo("destinations")}?after=${next}">${text("admin.next_page")}</a></p>`}`
  )
}

/** The form of a rule. */
export const ruleForm = (visit: AdminVisit, key: string, typed: Typed = {}): Page => {
  const { faults = {}, field: given } = typed
  const value = given ?? ((name: string) => visit.query.get(name)?.slice(0, 200) || undefined)
  const line = (name: string, label: Content, hint: Content) =>
    field({ name, label, hint, autocomplete: "off", optional: true, value: value(name), error: faults[name] })
  return adminPage(
    visit,
    {
      title: text("rule.form_title"),
      section: "destinations",
      back: backToRules(visit),
      lead: text("rule.form_lead"),
      faults
    },
    html`<section class="card">
      ${visit.form(
        visit.pathTo("destinations/new"),
        html`${hidden("key", key)}
          <div class="stack">
            <div class="two">
              ${select({ name: "action", label: text("admin.action"), value: value("action"), error: faults["action"], options: Object.entries(actions) })}
              ${select({ name: "scope", label: text("rule.scope"), value: value("scope"), error: faults["scope"], options: Object.entries(scopes) })}
            </div>
            ${line("scope_id", text("rule.scope_id"), text("rule.scope_id_hint"))}
            ${line("host", text("rule.host"), text("rule.host_hint"))}
            ${line("network", text("rule.network"), text("rule.network_hint"))}
            ${line("ports", text("rule.ports"), text("rule.ports_hint"))}
            ${field({ name: "until", label: text("rule.until"), hint: text("rule.until_hint"), type: "date", autocomplete: "off", optional: true, value: value("until"), error: faults["until"] })}
            ${area({ name: "reason", label: text("admin.reason"), hint: text("admin.reason_hint"), value: value("reason"), error: faults["reason"] })}
            <div><button class="primary">${text("rule.button")}</button></div>
          </div>`
      )}
    </section>`
  )
}

/** The form that removes a rule. */
export const removePage = (visit: AdminVisit, rule: Rule, { faults = {}, field: value }: Typed = {}): Page =>
  adminPage(
    visit,
    { title: text("rule.remove_title"), section: "destinations", back: backToRules(visit), faults },
    html`<section class="card stack">
      <dl class="facts">
        <dt>${text("rule.rule")}</dt>
        <dd>${actions[rule.action]}: ${destinationOf(rule)}</dd>
        <dt>${text("rule.scope")}</dt>
        <dd>${scopeOf(visit, rule)}</dd>
        <dt>${text("admin.ends")}</dt>
        <dd>${untilOf(rule)}</dd>
        <dt>${text("admin.reason")}</dt>
        <dd>${rule.reason}</dd>
      </dl>
      ${visit.form(
        visit.pathTo(`destinations/${rule.id}`),
        html`<div class="stack">
          ${area({ name: "reason", label: text("admin.reason"), hint: text("admin.reason_hint"), value: value?.("reason"), error: faults["reason"] })}
          <div><button class="primary">${text("rule.remove_button")}</button></div>
        </div>`
      )}
    </section>`
  )
