import { type Faults, field, select } from "../../pages/Field.ts"
import { type Content, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import { may } from "../../staff/Actor.ts"
import type { LimitView } from "../../staff/money/LimitView.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { amount } from "../desk/Amount.ts"
import { roleText } from "../desk/RoleText.ts"

const actions = {
  goodwill: text("money.cause_goodwill"),
  correction: text("money.cause_correction"),
  refund_wallet: text("limit.refund_wallet"),
  refund_gateway: text("limit.refund_gateway"),
  payout: text("payouts.title")
} satisfies Record<LimitView["action"], Phrase>

const currencies = { USD: text("wallet.dollars"), STAR: text("wallet.stars") } satisfies Record<
  LimitView["currency"],
  Phrase
>

const about = ({ action, currency, role }: LimitView): Content =>
  html`${roleText[role]}: ${actions[action]}, ${currencies[currency]}`

/** The address of the form of a limit. */
const limitPath = ({ pathTo }: AdminVisit, { action, currency, role }: LimitView) =>
  pathTo(`limits/${role}/${action}/${currency}`)

const most = ({ currency, is_alone }: LimitView, size: string | null): Content => {
  if (!is_alone) return text("limit.never")
  return size === null ? text("limit.none") : amount(currency, size)
}

/** The amounts that each role moves alone. */
export const limitsPage = (visit: AdminVisit, limits: ReadonlyArray<LimitView>, notice?: Content): Page =>
  adminPage(
    visit,
    {
      title: text("limit.title"),
      section: "limits",
      lead: text("limit.lead"),
      ...(notice !== undefined && { notice })
    },
    table<LimitView>(
      [
        { head: text("admin.role"), as: "name", cell: about },
        {
          head: text("limit.per_action"),
          label: text("limit.per_action"),
          as: "number",
          cell: (limit) => most(limit, limit.per_action)
        },
        {
          head: text("limit.per_customer"),
          label: text("limit.per_customer"),
          as: "number",
          cell: (limit) => most(limit, limit.per_customer_30d)
        },
        {
          head: text("limit.per_day"),
          label: text("limit.per_day"),
          as: "number",
          cell: (limit) => most(limit, limit.per_staff_day)
        },
        {
          head: html`<span class="hidden">${text("desk.actions")}</span>`,
          as: "go",
          cell: (limit) =>
            may(visit.actor, "limit.change") &&
            html`<a class="button small" href="${limitPath(visit, limit)}">${text("goods.edit_link")}</a>`
        }
      ],
      limits
    )
  )

interface Typed {
  readonly faults?: Faults
  readonly field?: (name: string) => string | undefined
}

/** The form of one limit. */
export const limitForm = (visit: AdminVisit, limit: LimitView, { faults = {}, field: typed }: Typed = {}): Page => {
  const present: Readonly<Record<string, string | null>> = {
    alone: limit.is_alone ? "yes" : "no",
    per_action: limit.per_action,
    per_customer_30d: limit.per_customer_30d,
    per_staff_day: limit.per_staff_day
  }
  const value = typed ?? ((name: string) => present[name] ?? undefined)
  const size = (name: string, label: Content) =>
    field({ name, label, autocomplete: "off", optional: true, value: value(name), error: faults[name] })
  return adminPage(
    visit,
    {
      title: about(limit),
      section: "limits",
      back: [visit.pathTo("limits"), text("limit.title")],
      lead: text("limit.form_lead"),
      faults
    },
    html`<section class="card">
      ${visit.form(
        limitPath(visit, limit),
        html`<div class="stack">
          ${select({
            name: "alone",
            label: text("limit.alone"),
            value: value("alone"),
            error: faults["alone"],
            options: [
              ["yes", text("limit.alone_yes")],
              ["no", text("limit.never")]
            ]
          })}
          ${size("per_action", text("limit.per_action"))} ${size("per_customer_30d", text("limit.per_customer"))}
          ${size("per_staff_day", text("limit.per_day"))}
          ${field({ name: "reason", label: text("admin.reason"), hint: text("restriction.reason_hint"), autocomplete: "off", value: value("reason"), error: faults["reason"] })}
          <div><button class="primary">${text("limit.button")}</button></div>
        </div>`
      )}
    </section>`
  )
}
