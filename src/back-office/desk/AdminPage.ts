import { type Faults, summary, titled } from "../../pages/Field.ts"
import { type Content, html, type Phrase, text } from "../../pages/Html.ts"
import { type Icon, icon } from "../../pages/Icons.ts"
import type { Page } from "../../pages/Layout.ts"
import { may } from "../../staff/Actor.ts"
import type { Permission } from "../../staff/Permissions.ts"
import type { AdminVisit } from "./AdminVisit.ts"

interface Entry {
  /** The name of the page in its path; `""` is the overview. */
  readonly name: string
  readonly label: Phrase
  readonly icon: Icon
  /** Who has no such permission does not see the entry. */
  readonly permission: Permission
}

/** The menu, in sections. */
const sections: ReadonlyArray<readonly [heading: Phrase, entries: ReadonlyArray<Entry>]> = [
  [
    text("admin.title"),
    [
      { name: "", label: text("admin.overview"), icon: "home", permission: "me.read" },
      { name: "todo", label: text("todo.title"), icon: "bell", permission: "todo.read" },
      { name: "reports", label: text("report.title"), icon: "chart", permission: "report.read" },
      { name: "audit", label: text("admin.audit"), icon: "check", permission: "audit.read" }
    ]
  ],
  [
    text("admin.section_work"),
    [
      { name: "customers", label: text("admin.customers"), icon: "person", permission: "customer.read" },
      { name: "orders", label: text("orders.title"), icon: "proxies", permission: "order.read" },
      { name: "payments", label: text("staff_payment.title"), icon: "wallet", permission: "payment.read" },
      { name: "requests", label: text("admin.requests"), icon: "wallet", permission: "adjustment.read" },
      { name: "payouts", label: text("payouts.title"), icon: "wallet", permission: "payout.read" },
      { name: "disputes", label: text("disputes.title"), icon: "wallet", permission: "dispute.read" },
      { name: "documents", label: text("documents.title"), icon: "wallet", permission: "document.read" },
      { name: "shop", label: text("goods.title"), icon: "proxies", permission: "shop.read" },
      { name: "providers", label: text("provider.title"), icon: "proxies", permission: "provider.read" },
      { name: "promo-codes", label: text("codes.title"), icon: "shop", permission: "promo_code.read" },
      { name: "announcements", label: text("announce.title"), icon: "bell", permission: "announcement.read" },
      { name: "abuse", label: text("abuse.title"), icon: "check", permission: "abuse.read" },
      { name: "destinations", label: text("rule.title"), icon: "check", permission: "gateway.read" }
    ]
  ],
  [
    text("admin.section_people"),
    [
      { name: "staff", label: text("admin.staff"), icon: "apps", permission: "staff.read" },
      { name: "tokens", label: text("admin.tokens"), icon: "key", permission: "staff.read" },
      { name: "limits", label: text("limit.title"), icon: "wallet", permission: "limit.read" }
    ]
  ]
]

const menuOf = ({ actor, form, pathTo }: AdminVisit, section: string): Content => [
  sections.map(([heading, entries]) => {
    const shown = entries.filter(({ permission }) => may(actor, permission))
    return (
      shown.length > 0 &&
      html`<h2>${heading}</h2>
        <ul>
          ${shown.map(
            ({ icon: shape, label, name }) =>
              html`<li>
                <a href="${pathTo(name)}" ${name === section && html` aria-current="page"`}>${icon(shape)}${label}</a>
              </li>`
          )}
        </ul>`
    )
  }),
  html`<div class="who">
    <span>${actor.name}</span>
    ${form(pathTo("sign-out"), html`<button class="link">${text("desk.sign_out_button")}</button>`)}
  </div>`
]

interface AdminPage {
  readonly title: Content
  /** The entry of the menu to which the page belongs. */
  readonly section: string
  readonly lead?: Content
  /** The page above this one. */
  readonly back?: readonly [path: string, title: Content]
  readonly actions?: Content
  /** The result of the last request. */
  readonly notice?: Content
  /** A result that the person must know before going on. */
  readonly warning?: Content
  readonly faults?: Faults
}

/** A page of the back office: the menu, the heading, what happened, and the content. */
export const adminPage = (visit: AdminVisit, page: AdminPage, content: Content): Page => {
  const { actions, back, faults = {}, lead, notice, section, title, warning } = page
  return {
    title: titled(title, Object.keys(faults).length > 0),
    isWide: true,
    desk: { homePath: visit.pathTo(""), aside: html``, isDense: true, menu: html`${menuOf(visit, section)}` },
    content: html`${back !== undefined && html`<p class="back"><a href="${back[0]}">${text("desk.back", { to: back[1] })}</a></p>`}
      <div class="heading">
        <div>
          <h1>${title}</h1>
          ${lead !== undefined && html`<p class="quiet">${lead}</p>`}
        </div>
        ${actions !== undefined && html`<div class="actions">${actions}</div>`}
      </div>
      <div class="stack">
        ${summary(faults)} ${notice !== undefined && html`<p class="done" role="status">${notice}</p>`}
        ${warning !== undefined && html`<p class="note" role="status">${warning}</p>`} ${content}
      </div>`
  }
}
