import { area, choices, field, type Faults } from "../../pages/Field.ts"
import { moment, number } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import { may } from "../../staff/Actor.ts"
import type { LookUpView } from "../../staff/abuse/AbuseApi.ts"
import type { LookUpAnswer } from "../../staff/abuse/AbuseDesk.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"

type Recorded = typeof LookUpView.Type
type Candidate = LookUpAnswer["candidates"][number]

interface Typed {
  readonly faults?: Faults
  readonly field?: (name: string) => string | undefined
}

const verdicts = {
  exact: [text("abuse.exact"), "good", text("abuse.exact_about")],
  narrowed: [text("abuse.narrowed"), "unknown", text("abuse.narrowed_about")],
  not_ours: [text("abuse.not_ours"), "", text("abuse.not_ours_about")],
  unknown: [text("abuse.unknown"), "bad", text("abuse.unknown_about")]
} as const satisfies Record<LookUpAnswer["verdict"], readonly [Phrase, string, Phrase]>

const verdictText = (verdict: string): Content => {
  const known = Object.hasOwn(verdicts, verdict) ? verdicts[verdict as LookUpAnswer["verdict"]] : undefined
  return known === undefined ? verdict : html`<span class="mark ${known[1]}">${known[0]}</span>`
}

const lookUpForm = (visit: AdminVisit, { faults = {}, field: value = () => undefined }: Typed): Html => {
  const line = (name: string, label: Content, more: { readonly hint?: Content; readonly optional?: boolean } = {}) =>
    field({ name, label, autocomplete: "off", value: value(name), error: faults[name], ...more })
  return html`<section class="card">
    ${visit.form(
      visit.pathTo("abuse"),
      html`<div class="stack">
        <div class="two">
          ${line("exit_ip", text("abuse.exit_ip"))} ${line("exit_port", text("abuse.exit_port"), { optional: true })}
          ${line("at", text("abuse.at"), { hint: text("abuse.at_hint") })}
          ${field({ name: "tolerance_seconds", label: text("abuse.tolerance"), autocomplete: "off", value: value("tolerance_seconds") ?? "120", error: faults["tolerance_seconds"] })}
        </div>
        ${line("destination", text("abuse.destination"), { hint: text("abuse.destination_hint"), optional: true })}
        ${choices({
          name: "is_machine",
          type: "checkbox",
          label: text("abuse.exit_ip"),
          chosen: [value("is_machine") ?? ""],
          error: faults["is_machine"],
          options: [{ value: "yes", title: text("abuse.machine") }]
        })}
        ${line("case_number", text("abuse.case"), { hint: text("abuse.case_hint") })}
        ${area({ name: "reason", label: text("admin.reason"), hint: text("admin.reason_hint"), value: value("reason"), error: faults["reason"] })}
        <div><button class="primary">${text("abuse.button")}</button></div>
      </div>`
    )}
  </section>`
}

const customerLink = ({ pathTo }: AdminVisit, user_id: string | null, name: Content): Content =>
  user_id === null ? text("abuse.no_account") : html`<a href="${pathTo(`customers/${user_id}`)}">${name}</a>`

const recordedTable = (visit: AdminVisit, items: ReadonlyArray<Recorded>): Html =>
  table<Recorded>(
    [
      {
        head: text("abuse.exit_ip"),
        as: "name",
        cell: ({ exit_ip, exit_port, time }) => html`${exit_ip} ${exit_port ?? undefined} <small>${time}</small>`
      },
      {
        head: text("abuse.answer"),
        label: text("abuse.answer"),
        cell: ({ user_id, verdict }) => [
          verdictText(verdict),
          user_id !== null && html` <small>${customerLink(visit, user_id, user_id)}</small>`
        ]
      },
      { head: text("abuse.case"), label: text("abuse.case"), cell: ({ case: about }) => about ?? undefined },
      {
        head: text("admin.who"),
        label: text("admin.who"),
        cell: ({ looked_up_at, looked_up_by }) => html`${looked_up_by} <small>${moment(looked_up_at)}</small>`
      }
    ],
    items
  )

/** The form of a look-up, and what was looked up before. */
export const abusePage = (
  visit: AdminVisit,
  { items, next }: { readonly items: ReadonlyArray<Recorded>; readonly next: string | null },
  typed: Typed = {}
): Page => {
  const { actor, pathTo } = visit
  const { faults = {} } = typed
  return adminPage(
    visit,
    { title: text("abuse.title"), section: "abuse", lead: text("abuse.lead"), faults },
    html`${may(actor, "abuse.act") && lookUpForm(visit, typed)}
      <section class="card stack" aria-labelledby="recorded">
        <h2 id="recorded">${text("abuse.recorded")}</h2>
        ${items.length === 0 ? html`<p>${text("abuse.recorded_none")}</p>` : recordedTable(visit, items)}
        ${next !== null && html`<p><a class="button small" href="${pathTo("abuse")}?after=${next}">${text("admin.next_page")}</a></p>`}
      </section>`
  )
}

const connectionsOf = ({ connections }: Candidate): Content =>
  connections.length > 0 &&
  html`<ul>
    ${connections.map(
      ({ destination_port, exit_ip, exit_port, opened_at, seen_at }) =>
        html`<li>
          ${text("abuse.connection", { ip: exit_ip, port: String(exit_port), to: String(destination_port), from: moment(opened_at), until: moment(seen_at) })}
        </li>`
    )}
  </ul>`

const candidateTable = (visit: AdminVisit, candidates: ReadonlyArray<Candidate>): Html => {
  const { actor, pathTo } = visit
  return table<Candidate>(
    [
      {
        head: text("customer.order"),
        as: "name",
        cell: ({ order_id, proxy_id }) =>
          html`<a href="${pathTo(`orders/${order_id}`)}"><code>${order_id}</code></a>
            <small><code>${proxy_id}</code></small>`
      },
      {
        head: text("customers.customer"),
        label: text("customers.customer"),
        cell: ({ email, user_id }) => customerLink(visit, user_id, email ?? text("customers.no_email"))
      },
      {
        head: text("abuse.held"),
        label: text("abuse.held"),
        cell: ({ from_at, until_at }) =>
          text("abuse.held_text", {
            from: moment(from_at),
            until: until_at === null ? text("abuse.now") : moment(until_at)
          })
      },
      { head: text("abuse.connections"), label: text("abuse.connections"), cell: connectionsOf },
      {
        head: html`<span class="hidden">${text("desk.actions")}</span>`,
        as: "go",
        cell: ({ proxy_id, user_id }) => [
          user_id !== null &&
            may(actor, "restriction.hold") &&
            html`<a class="button small" href="${pathTo(`customers/${user_id}/restrict`)}"
              >${text("restriction.place_link")}</a
            >`,
          " ",
          may(actor, "gateway.change") &&
            html`<a class="button small" href="${pathTo("destinations/new")}?scope=proxy&scope_id=${proxy_id}"
              >${text("abuse.block_link")}</a
            >`
        ]
      }
    ],
    candidates
  )
}

/** The answer to a complaint. */
export const answerPage = (visit: AdminVisit, exit_ip: string, answer: LookUpAnswer): Page => {
  const { because, candidates, destinations, total, verdict } = answer
  return adminPage(
    visit,
    {
      title: exit_ip,
      section: "abuse",
      back: [visit.pathTo("abuse"), text("abuse.title")],
      lead: verdicts[verdict][2]
    },
    html`<section class="card">
        <dl class="facts">
          <dt>${text("abuse.answer")}</dt>
          <dd>${verdictText(verdict)}</dd>
          <dt>${text("abuse.because")}</dt>
          <dd lang="en">${because}</dd>
          <dt>${text("abuse.total")}</dt>
          <dd>${number(total)}</dd>
          ${
            destinations !== null &&
            html`<dt>${text("abuse.looked_for")}</dt>
              <dd>${destinations.join(" ")}</dd>`
          }
        </dl>
      </section>
      ${candidates.length > 0 && candidateTable(visit, candidates)}
      ${total > candidates.length && html`<p class="quiet">${text("abuse.more")}</p>`}`
  )
}
