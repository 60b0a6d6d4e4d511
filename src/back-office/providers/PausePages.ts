import { area, type Faults, hidden, type Option, select } from "../../pages/Field.ts"
import { moment, number } from "../../pages/Format.ts"
import { type Content, counted, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import type { SalesPauseView } from "../../staff/providers/SalesPauseView.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { pauseText } from "./PauseText.ts"

type Pause = typeof SalesPauseView.Type
type Scope = Pick<Pause, "scope" | "scope_id">

interface Typed {
  readonly faults?: Faults
  readonly field?: (name: string) => string | undefined
}

/** The scope in the field of a form, such as `kind:mobile`. */
export const scopeValue = ({ scope, scope_id }: Scope): string => (scope_id === null ? scope : `${scope}:${scope_id}`)

const hoursOffered = [1, 4, 24, 72, 168, 720]

const time = (hours: number): Content =>
  hours % 24 === 0 ? counted("pause.days", hours / 24) : counted("pause.hours", hours)

const headOf = ({ pathTo }: AdminVisit, title: Content) => ({
  title,
  section: "providers",
  back: [pathTo("providers"), text("provider.title")] as const
})

/** The form that stops a sale. It leads to a page that says what it stops. */
export const pausePage = (
  visit: AdminVisit,
  scopes: ReadonlyArray<Scope>,
  key: string,
  { faults = {}, field: value = () => undefined }: Typed = {}
): Page =>
  adminPage(
    visit,
    { ...headOf(visit, text("pause.form_title")), lead: text("pause.form_about"), faults },
    html`<section class="card">
      ${visit.form(
        visit.pathTo("pause"),
        html`${hidden("key", key)}
          <div class="stack">
            ${select({ name: "what", label: text("pause.what"), value: value("what"), error: faults["what"], options: scopes.map((scope): Option => [scopeValue(scope), pauseText(scope)]) })}
            ${select({ name: "hours", label: text("pause.hours"), value: value("hours") ?? "24", error: faults["hours"], options: hoursOffered.map((hours): Option => [String(hours), time(hours)]) })}
            ${area({ name: "reason", label: text("admin.reason"), hint: text("admin.reason_hint"), value: value("reason"), error: faults["reason"] })}
            <div><button class="primary">${text("pause.review_button")}</button></div>
          </div>`
      )}
    </section>`
  )

interface Chosen {
  readonly scope: Scope
  readonly hours: number
  readonly reason: string
  /** The number of offers on sale that the pause covers. */
  readonly covered: number
}

/** Says what a pause stops, and asks for the confirmation. `fields` are those of the form. */
export const pauseReview = (
  visit: AdminVisit,
  { covered, hours, reason, scope }: Chosen,
  fields: ReadonlyArray<readonly [name: string, value: string]>
): Page =>
  adminPage(
    visit,
    {
      ...headOf(visit, text("pause.review_title")),
      lead: scope.scope === "method" ? text("pause.method_about") : text("pause.form_about")
    },
    html`<section class="card stack">
      <dl class="facts">
        <dt>${text("pause.what")}</dt>
        <dd>${pauseText(scope)}</dd>
        ${
          scope.scope !== "method" &&
          html`<dt>${text("pause.covered")}</dt>
            <dd>${number(covered)}</dd>`
        }
        <dt>${text("pause.hours")}</dt>
        <dd>${time(hours)}</dd>
        <dt>${text("admin.reason")}</dt>
        <dd>${reason}</dd>
      </dl>
      <div class="row">
        ${visit.form(
          visit.pathTo("pause"),
          html`${fields.map(([name, value]) => hidden(name, value))}${hidden("confirmed", "yes")}
            <button class="danger">${text("pause.button")}</button>`
        )}
        <a class="button" href="${visit.pathTo("pause")}?what=${encodeURIComponent(scopeValue(scope))}"
          >${text("pause.back_button")}</a
        >
      </div>
    </section>`
  )

/** The form that ends a pause. */
export const resumePage = (
  visit: AdminVisit,
  pause: Pause,
  key: string,
  { faults = {}, field: value = () => undefined }: Typed = {}
): Page =>
  adminPage(
    visit,
    { ...headOf(visit, text("pause.resume_title")), lead: text("pause.resume_about"), faults },
    html`<section class="card stack">
      <dl class="facts">
        <dt>${text("pause.what")}</dt>
        <dd>${pauseText(pause)}</dd>
        <dt>${text("admin.who")}</dt>
        <dd>${pause.placed_by}, ${moment(pause.placed_at)}</dd>
        <dt>${text("pause.until")}</dt>
        <dd>${moment(pause.until_at)}</dd>
        <dt>${text("admin.reason")}</dt>
        <dd>${pause.reason}</dd>
      </dl>
      ${visit.form(
        visit.pathTo(`pauses/${pause.id}`),
        html`${hidden("key", key)}
          <div class="stack">
            ${area({ name: "reason", label: text("admin.reason"), hint: text("admin.reason_hint"), value: value("reason"), error: faults["reason"] })}
            <div><button class="primary">${text("pause.resume_button")}</button></div>
          </div>`
      )}
    </section>`
  )
