import { area, choices, field, type Faults, hidden, select } from "../../pages/Field.ts"
import { number } from "../../pages/Format.ts"
import { type Content, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import type { Preset, Restriction } from "../../accounts/restrictions/Restriction.ts"
import { may } from "../../staff/Actor.ts"
import type { WholeCustomer } from "../../staff/customers/Customer.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { customerName } from "../desk/CustomerName.ts"
import { reasonCodes } from "./RestrictionsCard.ts"
import { presetText, restrictionMark } from "../desk/StateText.ts"

interface Typed {
  readonly faults?: Faults
  readonly field?: (name: string) => string | undefined
}

const about = {
  hold: text("restriction.hold_about"),
  suspend: text("restriction.suspend_about"),
  ban: text("restriction.ban_about"),
  lock: text("restriction.lock_about")
} satisfies Record<Preset, Phrase>

const rights = {
  hold: "restriction.hold",
  suspend: "restriction.suspend",
  ban: "restriction.ban",
  lock: "restriction.ban"
} as const satisfies Record<Preset, string>

const headOf = ({ pathTo }: AdminVisit, { customer }: WholeCustomer, title: Content) => ({
  title,
  section: "customers",
  back: [pathTo(`customers/${customer.id}`), customerName(customer)] as const
})

/** The form that restricts a customer. It leads to a page that says what it stops. */
export const restrictPage = (visit: AdminVisit, whole: WholeCustomer, key: string, typed: Typed = {}): Page => {
  const { faults = {}, field: value = () => undefined } = typed
  const presets = (Object.keys(about) as ReadonlyArray<Preset>).filter((preset) => may(visit.actor, rights[preset]))
  return adminPage(
    visit,
    { ...headOf(visit, whole, text("restriction.place_link")), faults },
    html`<section class="card">
      ${visit.form(
        visit.pathTo(`customers/${whole.customer.id}/restrict`),
        html`${hidden("key", key)}
          <div class="stack">
            ${choices({ name: "preset", type: "radio", label: text("restriction.kind"), chosen: [value("preset") ?? "hold"], error: faults["preset"], options: presets.map((preset) => ({ value: preset, title: presetText[preset], detail: about[preset] })) })}
            ${select({ name: "reason_code", label: text("money.code"), value: value("reason_code") ?? "abuse", options: Object.entries(reasonCodes), error: faults["reason_code"] })}
            ${area({ name: "internal_reason", label: text("admin.reason"), hint: text("restriction.reason_hint"), value: value("internal_reason"), error: faults["internal_reason"] })}
            ${area({ name: "public_reason", label: text("restriction.public_reason"), hint: text("restriction.public_reason_hint"), value: value("public_reason"), error: faults["public_reason"] })}
            ${field({ name: "days", label: text("restriction.days"), hint: may(visit.actor, "restriction.ban") ? text("restriction.days_hint") : text("restriction.days_hint_week"), type: "number", autocomplete: "off", optional: true, value: value("days"), error: faults["days"] })}
            <div><button class="primary">${text("restriction.review_button")}</button></div>
          </div>`
      )}
    </section>`
  )
}

interface Chosen {
  readonly preset: Preset
  readonly internal_reason: string
  readonly public_reason: string
  readonly days?: number
}

/** Says what a restriction stops, and asks for the confirmation. `fields` are those of the form. */
export const restrictReview = (
  visit: AdminVisit,
  whole: WholeCustomer,
  { days, internal_reason, preset, public_reason }: Chosen,
  fields: ReadonlyArray<readonly [name: string, value: string]>
): Page => {
  const path = visit.pathTo(`customers/${whole.customer.id}/restrict`)
  return adminPage(
    visit,
    { ...headOf(visit, whole, text("restriction.review_title")), lead: about[preset] },
    html`<section class="card stack">
      <dl class="facts">
        <dt>${text("customers.customer")}</dt>
        <dd>${customerName(whole.customer)}</dd>
        <dt>${text("restriction.kind")}</dt>
        <dd>${restrictionMark(preset)}</dd>
        <dt>${text("restriction.ends")}</dt>
        <dd>
          ${days === undefined ? text("restriction.no_end") : text("restriction.in_days", { days: number(days) })}
        </dd>
        <dt>${text("restriction.live")}</dt>
        <dd>${number(whole.customer.live_orders)}</dd>
        <dt>${text("admin.reason")}</dt>
        <dd>${internal_reason}</dd>
        <dt>${text("restriction.public_reason")}</dt>
        <dd>${public_reason}</dd>
      </dl>
      <div class="row">
        ${visit.form(
          path,
          html`${fields.map(([name, value]) => hidden(name, value))}${hidden("confirmed", "yes")}
            <button class="danger">${text("restriction.place_button", { kind: presetText[preset] })}</button>`
        )}
        <a class="button" href="${path}">${text("refund.back_button")}</a>
      </div>
    </section>`
  )
}

/** The form that lifts a restriction. */
export const liftPage = (
  visit: AdminVisit,
  whole: WholeCustomer,
  restriction: Restriction,
  key: string,
  typed: Typed = {}
): Page => {
  const { faults = {}, field: value = () => undefined } = typed
  const { id, internal_reason, preset, public_reason } = restriction
  return adminPage(
    visit,
    { ...headOf(visit, whole, text("restriction.lift_title", { kind: presetText[preset] })), faults },
    html`<section class="card stack">
      <p>${text("restriction.lift_about")}</p>
      <dl class="facts">
        <dt>${text("admin.reason")}</dt>
        <dd>${internal_reason}</dd>
        <dt>${text("restriction.public_reason")}</dt>
        <dd>${public_reason}</dd>
      </dl>
      ${visit.form(
        visit.pathTo(`customers/${whole.customer.id}/lift/${id}`),
        html`${hidden("key", key)}
          <div class="stack">
            ${area({ name: "reason", label: text("restriction.lift_reason"), hint: text("restriction.reason_hint"), value: value("reason"), error: faults["reason"] })}
            <div><button class="primary">${text("restriction.lift_link")}</button></div>
          </div>`
      )}
    </section>`
  )
}
