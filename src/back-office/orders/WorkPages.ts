import { DateTime } from "effect"
import { area, field, type Faults, hidden } from "../../pages/Field.ts"
import { faultsOf } from "../../pages/FormFaults.ts"
import { moment, number } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import { may } from "../../staff/Actor.ts"
import type { OrderWorkView } from "../../staff/orders/OrderWork.ts"
import type { StaffOrderWork } from "../../staff/orders/StaffOrderWork.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { shortId } from "../desk/ShortId.ts"
import { type WorkAction, workText } from "./WorkText.ts"
import type { Effect } from "effect"

/** An order, and what can be done for it. */
export type Workable = Effect.Success<ReturnType<StaffOrderWork["Service"]["actions"]>>

const actions: ReadonlyArray<WorkAction> = ["retry", "look_up", "replace", "extend", "release"]

/** All actions on an order: those that are safe now with a link, the others with their reason. */
export const workCard = (visit: AdminVisit, { order, refusals }: Workable): Html =>
  html`<section class="card stack" aria-labelledby="work">
    <h2 id="work">${text("work.title")}</h2>
    ${table<WorkAction>(
      [
        { head: text("work.action"), as: "name", cell: (action) => workText[action].name },
        {
          head: text("work.now"),
          label: text("work.now"),
          cell: (action) => {
            const refusal = refusals[action]
            return refusal === undefined
              ? html`<span class="mark good">${text("work.possible")}</span>`
              : html`<span class="mark">${text("work.not_now")}</span> <small>${faultsOf(refusal)[""]}</small>`
          }
        },
        {
          head: "",
          as: "go",
          cell: (action) =>
            refusals[action] === undefined &&
            may(visit.actor, "order.work") &&
            html`<a class="button" href="${visit.pathTo(`orders/${order.id}/${workText[action].path}`)}"
              >${workText[action].name}</a
            >`
        }
      ],
      actions
    )}
  </section>`

interface Typed {
  readonly faults?: Faults
  readonly field?: (name: string) => string | undefined
}

const fact = (name: Phrase, value: Content): Html =>
  html`<dt>${name}</dt>
    <dd>${value}</dd>`

const headOf = ({ pathTo }: AdminVisit, { order }: Workable, title: Content) => ({
  title,
  section: "orders",
  back: [pathTo(`orders/${order.id}`), text("order.title", { id: shortId(order.id) })] as const
})

const aboutOf = (action: WorkAction, { order }: Workable): Phrase =>
  action === "release" && order.status === "refunded" ? text("work.release_lost_about") : workText[action].about

const timeField = ({ extends_by }: Workable, { faults = {}, field: value = () => undefined }: Typed): Content =>
  extends_by === "days"
    ? field({
        name: "days",
        label: text("work.days"),
        hint: text("work.days_hint"),
        type: "number",
        autocomplete: "off",
        value: value("days"),
        error: faults["days"]
      })
    : html`${hidden("months", "1")}
        <p>${text("work.month_about")}</p>`

/** The form of an action on an order. It says exactly what the action does. */
export const workPage = (
  visit: AdminVisit,
  action: WorkAction,
  shown: Workable,
  key: string,
  typed: Typed = {}
): Page => {
  const { faults = {}, field: value = () => undefined } = typed
  const { look, name, path } = workText[action]
  const { order, spare_addresses } = shown
  return adminPage(
    visit,
    { ...headOf(visit, shown, name), lead: aboutOf(action, shown), faults },
    html`<section class="card stack" aria-label="${name}">
      <dl class="facts">
        ${order.host !== null && fact(text("customer.address"), html`<code>${order.host}:${order.port ?? ""}</code>`)}
        ${order.expires_at !== null && fact(text("work.present_end"), moment(order.expires_at))}
        ${action === "replace" && spare_addresses !== null && fact(text("work.spare"), number(spare_addresses))}
      </dl>
      ${visit.form(
        visit.pathTo(`orders/${order.id}/${path}`),
        html`${hidden("key", key)}
          <div class="stack">
            ${action === "extend" && timeField(shown, typed)}
            ${area({ name: "reason", label: text("admin.reason"), hint: text("admin.reason_hint"), rows: 2, value: value("reason"), error: faults["reason"] })}
            <div><button class="${look}">${action === "extend" ? text("work.review_button") : name}</button></div>
          </div>`
      )}
    </section>`
  )
}

interface Time {
  readonly days?: number
  readonly reason: string
}

/** Says the new end of a proxy, and asks for the confirmation. `fields` are those of the form. */
export const extendReview = (
  visit: AdminVisit,
  shown: Workable,
  { days, reason }: Time,
  fields: ReadonlyArray<readonly [name: string, value: string]>
): Page => {
  const { order } = shown
  const added = days === undefined ? { months: 1 } : { days }
  return adminPage(
    visit,
    { ...headOf(visit, shown, text("work.review_title")), lead: text("work.extend_about") },
    html`<section class="card stack">
      <dl class="facts">
        ${order.expires_at !== null && fact(text("work.present_end"), moment(order.expires_at))}
        ${order.expires_at !== null && fact(text("work.new_end"), html`<b>${moment(DateTime.add(order.expires_at, added))}</b>`)}
        ${fact(text("admin.reason"), reason)}
      </dl>
      ${visit.form(
        visit.pathTo(`orders/${order.id}/extend`),
        html`${fields.map(([name, value]) => hidden(name, value))}${hidden("confirmed", "yes")}
          <button class="primary">${text("work.extend")}</button>`
      )}
    </section>`
  )
}

/** The words for what an action has done. */
export const workOutcome = ({ action, detail, outcome }: OrderWorkView) => {
  const { name } = workText[action]
  if (outcome === "done") return { notice: text("work.done", { action: name }) }
  if (outcome === "refused") return { warning: text("work.refused", { action: name, detail: detail ?? "" }) }
  return {
    warning: outcome === "unknown" ? text("work.unknown", { action: name }) : text("work.pending", { action: name })
  }
}
