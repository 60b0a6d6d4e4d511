import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { field, select } from "../../pages/Field.ts"
import { moment } from "../../pages/Format.ts"
import { type Content, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import type { AuditEvent } from "../../staff/audit/AuditEvent.ts"
import type { AuditFilter } from "../../staff/audit/AuditFilter.ts"
import { AuditLog } from "../../staff/audit/AuditLog.ts"
import { needs } from "../../staff/Actor.ts"
import { adminPage } from "../desk/AdminPage.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"

const perPage = 50

const isId = Schema.is(Schema.String.check(Schema.isUUID()))

/** Reads the filters of a query. A text that no event can have is left out. */
const filterOf = (query: URLSearchParams): AuditFilter => {
  const given = (name: string) => query.get(name)?.trim().slice(0, 300) || undefined
  const id = (name: "after" | "staff_id" | "user_id") => {
    const value = given(name)
    return isId(value) ? { [name]: value } : {}
  }
  const [action, outcome, subject_id] = [given("action"), given("outcome"), given("subject_id")]
  return {
    limit: perPage,
    ...id("after"),
    ...id("staff_id"),
    ...id("user_id"),
    ...(action !== undefined && { action }),
    ...((outcome === "done" || outcome === "refused") && { outcome }),
    ...(subject_id !== undefined && { subject_id })
  }
}

const outcomes = { done: text("admin.outcome_done"), refused: text("admin.outcome_refused") }

const filterForm = ({ pathTo, query }: AdminVisit): Content => {
  const value = (name: string) => query.get(name) ?? ""
  const line = (name: string, label: Content) =>
    field({ name, label, autocomplete: "off", optional: true, value: value(name) })
  return html`<form class="card row" method="get" action="${pathTo("audit")}">
    ${line("action", text("admin.action"))}
    ${select({ name: "outcome", label: text("admin.outcome"), value: value("outcome"), options: [["", text("admin.any")], ...Object.entries(outcomes)] })}
    ${line("subject_id", text("admin.record_id"))} ${line("user_id", text("admin.customer_id"))}
    ${line("staff_id", text("admin.staff_id"))}
    <button>${text("admin.filter_button")}</button>
  </form>`
}

const mostCharacters = 500

/** The admin API answers the whole value. */
const shown = (value: Schema.Json | undefined) => {
  const text = value === undefined ? "–" : JSON.stringify(value)
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text
}

const detailsOf = ({ after, before }: AuditEvent): Content => {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return (
    names.length > 0 &&
    html`<ul>
      ${names.map((name) => html`<li><code>${name}</code>: ${shown(before?.[name])} → ${shown(after?.[name])}</li>`)}
    </ul>`
  )
}

const events = (items: ReadonlyArray<AuditEvent>): Content =>
  table<AuditEvent>(
    [
      { head: text("admin.time"), cell: ({ occurred_at }) => moment(occurred_at), label: text("admin.time") },
      {
        head: text("admin.who"),
        as: "name",
        cell: ({ actor_name, address }) => html`${actor_name} <small>${address ?? ""}</small>`
      },
      {
        head: text("admin.action"),
        cell: ({ action, outcome }) => html`<code>${action}</code> <small>${outcomes[outcome]}</small>`,
        label: text("admin.action")
      },
      {
        head: text("admin.about"),
        cell: ({ subject_id, subject_kind }) => html`${subject_kind} <small>${subject_id}</small>`,
        label: text("admin.about")
      },
      {
        head: text("admin.details"),
        cell: (event) => [event.reason ?? undefined, detailsOf(event)],
        label: text("admin.details")
      }
    ],
    items
  )

const auditPage = (
  visit: AdminVisit,
  { items, next }: { readonly items: ReadonlyArray<AuditEvent>; readonly next: string | null }
): Page => {
  const { pathTo, query } = visit
  const following = new URLSearchParams(query)
  following.set("after", next ?? "")
  return adminPage(
    visit,
    { title: text("admin.audit"), section: "audit", lead: text("admin.audit_lead") },
    html`${filterForm(visit)} ${items.length === 0 ? html`<p>${text("admin.audit_none")}</p>` : events(items)}
    ${next !== null && html`<p><a class="button small" href="${pathTo("audit")}?${following.toString()}">${text("admin.next_page")}</a></p>`}`
  )
}

/** The page of the audit log. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const log = yield* AuditLog
    const { pathTo, show } = yield* AdminPages

    yield* router.add(
      "GET",
      pathTo("audit"),
      show(
        Effect.fnUntraced(function* (visit) {
          yield* needs(visit.actor, "audit.read")
          return auditPage(visit, yield* log.list(filterOf(visit.query)))
        })
      )
    )
  })
)
