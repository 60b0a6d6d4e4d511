import { DateTime } from "effect"
import { area, field, type Faults, hidden, select } from "../../pages/Field.ts"
import { dollars, moment, number } from "../../pages/Format.ts"
import { timeValue } from "../../pages/FormSchemas.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import { may } from "../../staff/Actor.ts"
import type { PromoCodeUseView, PromoCodeView } from "../../staff/promo-codes/PromoCodeView.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import type { Typed } from "../desk/MoneyFields.ts"
import { shortId } from "../desk/ShortId.ts"

type Code = typeof PromoCodeView.Type
type Use = typeof PromoCodeUseView.Type

interface Part<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | null
}

const off = ({ kind, value }: Code): Content => (kind === "percent" ? `${value} %` : dollars(value))

const used = ({ use_limit, uses }: Code): Content =>
  use_limit === null ? number(uses) : text("codes.used_of", { uses: number(uses), limit: number(use_limit) })

const state = ({ ended_at, expires_at, use_limit, uses, valid_from }: Code, { now }: AdminVisit): Html => {
  if (ended_at !== null) return html`<span class="mark">${text("codes.ended")}</span>`
  if (expires_at !== null && DateTime.isLessThanOrEqualTo(expires_at, now))
    return html`<span class="mark">${text("codes.expired")}</span>`
  if (use_limit !== null && uses >= use_limit) return html`<span class="mark">${text("codes.used_up")}</span>`
  if (valid_from !== null && DateTime.isGreaterThan(valid_from, now))
    return html`<span class="mark unknown">${text("codes.waiting")}</span>`
  return html`<span class="mark good">${text("codes.valid")}</span>`
}

const headOf = ({ pathTo }: AdminVisit, title: Content) => ({
  title,
  section: "promo-codes",
  back: [pathTo("promo-codes"), text("codes.title")] as const
})

const more = ({ pathTo }: AdminVisit, name: string, next: string | null): Content =>
  next !== null &&
  html`<p><a class="button small" href="${pathTo(name)}?after=${next}">${text("admin.next_page")}</a></p>`

/** The promo codes, the newest first. */
export const promoCodesPage = (visit: AdminVisit, { items, next }: Part<Code>): Page => {
  const { actor, pathTo } = visit
  return adminPage(
    visit,
    {
      title: text("codes.title"),
      section: "promo-codes",
      lead: text("codes.lead"),
      ...(may(actor, "promo_code.change") && {
        actions: html`<a class="button primary" href="${pathTo("promo-codes/new")}">${text("codes.new_link")}</a>`
      })
    },
    html`${
      items.length === 0
        ? html`<p>${text("codes.none")}</p>`
        : table<Code>(
            [
              {
                head: text("codes.code"),
                as: "name",
                cell: ({ code, id }) => html`<a href="${pathTo(`promo-codes/${id}`)}"><code>${code}</code></a>`
              },
              { head: text("codes.off"), label: text("codes.off"), cell: off },
              { head: text("codes.used"), label: text("codes.used"), as: "number", cell: used },
              {
                head: text("codes.expires"),
                label: text("codes.expires"),
                cell: ({ expires_at }) => expires_at !== null && moment(expires_at)
              },
              { head: text("admin.state"), label: text("admin.state"), cell: (code) => state(code, visit) }
            ],
            items
          )
    }
    ${more(visit, "promo-codes", next)}`
  )
}

const limits = (faults: Faults, value: (name: string) => string | undefined): Html =>
  html`${field({ name: "expires_at", label: text("codes.expires"), hint: text("form.time_hint"), type: "datetime-local", autocomplete: "off", optional: true, value: value("expires_at"), error: faults["expires_at"] })}
    <div class="two">
      ${field({ name: "use_limit", label: text("codes.use_limit"), hint: text("codes.use_limit_hint"), type: "number", autocomplete: "off", optional: true, value: value("use_limit"), error: faults["use_limit"] })}
      ${field({ name: "account_limit", label: text("codes.account_limit"), type: "number", autocomplete: "off", value: value("account_limit") ?? "1", error: faults["account_limit"] })}
    </div>`

/** The form of a new code. */
export const newPromoCodePage = (visit: AdminVisit, key: string, typed: Typed = {}): Page => {
  const { faults = {}, field: value = () => undefined } = typed
  return adminPage(
    visit,
    { ...headOf(visit, text("codes.new_title")), faults },
    html`<section class="card">
      ${visit.form(
        visit.pathTo("promo-codes/new"),
        html`${hidden("key", key)}
          <div class="stack">
            ${field({ name: "code", label: text("codes.code"), hint: text("codes.code_hint"), autocomplete: "off", value: value("code"), error: faults["code"] })}
            <div class="two">
              ${select({
                name: "kind",
                label: text("codes.kind"),
                value: value("kind") ?? "percent",
                error: faults["kind"],
                options: [
                  ["percent", text("codes.percent")],
                  ["fixed", text("codes.fixed")]
                ]
              })}
              ${field({ name: "value", label: text("codes.value"), hint: text("codes.value_hint"), autocomplete: "off", value: value("value"), error: faults["value"] })}
            </div>
            ${field({ name: "valid_from", label: text("codes.valid_from"), hint: text("form.time_hint"), type: "datetime-local", autocomplete: "off", optional: true, value: value("valid_from"), error: faults["valid_from"] })}
            ${limits(faults, value)}
            ${field({ name: "offer_ids", label: text("codes.offers"), hint: text("codes.offers_hint"), autocomplete: "off", optional: true, value: value("offer_ids"), error: faults["offer_ids"] })}
            <div><button class="primary">${text("codes.new_button")}</button></div>
          </div>`
      )}
    </section>`
  )
}

const facts = (visit: AdminVisit, code: Code): Html =>
  html`<section class="card stack">
    <dl class="facts">
      <dt>${text("codes.off")}</dt>
      <dd>${off(code)}</dd>
      <dt>${text("admin.state")}</dt>
      <dd>${state(code, visit)}</dd>
      <dt>${text("codes.used")}</dt>
      <dd>${used(code)}</dd>
      ${
        code.valid_from !== null &&
        html`<dt>${text("codes.valid_from")}</dt>
          <dd>${moment(code.valid_from)}</dd>`
      }
      <dt>${text("codes.offers")}</dt>
      <dd>${code.offer_ids === null ? text("codes.all_offers") : code.offer_ids.join(", ")}</dd>
      <dt>${text("customer.created")}</dt>
      <dd>${moment(code.created_at)}</dd>
    </dl>
  </section>`

const valueOf =
  ({ account_limit, expires_at, use_limit }: Code) =>
  (name: string): string | undefined => {
    if (name === "expires_at") return expires_at === null ? undefined : timeValue(expires_at)
    if (name === "use_limit") return use_limit === null ? undefined : String(use_limit)
    return name === "account_limit" ? String(account_limit) : undefined
  }

const limitForm = (visit: AdminVisit, code: Code, key: string, { faults = {}, field: value }: Typed): Content =>
  code.ended_at === null &&
  may(visit.actor, "promo_code.change") &&
  html`<section class="card stack" aria-labelledby="limits">
    <h2 id="limits">${text("codes.limits")}</h2>
    ${visit.form(
      visit.pathTo(`promo-codes/${code.id}`),
      html`${hidden("key", key)}
        <div class="stack">
          ${limits(faults, value ?? valueOf(code))}
          ${area({ name: "reason", label: text("admin.reason"), hint: text("admin.reason_hint"), value: value?.("reason"), error: faults["reason"] })}
          <div><button class="primary">${text("codes.limit_button")}</button></div>
        </div>`
    )}
  </section>`

const usesTable = ({ pathTo }: AdminVisit, items: ReadonlyArray<Use>): Html =>
  table<Use>(
    [
      {
        head: text("customer.order"),
        as: "name",
        cell: ({ order_id }) => html`<a href="${pathTo(`orders/${order_id}`)}">${shortId(order_id)}</a>`
      },
      {
        head: text("customers.customer"),
        label: text("customers.customer"),
        cell: ({ customer_id }) => html`<a href="${pathTo(`customers/${customer_id}`)}">${shortId(customer_id)}</a>`
      },
      {
        head: text("codes.off"),
        label: text("codes.off"),
        as: "number",
        cell: ({ currency, discount }) => (currency === "USD" ? dollars(discount) : `${discount} ★`)
      },
      {
        head: text("admin.time"),
        label: text("admin.time"),
        cell: ({ created_at, released_at }) =>
          html`${moment(created_at)} ${released_at !== null && html`<small>${text("codes.released")}</small>`}`
      }
    ],
    items
  )

interface Shown extends Typed {
  readonly code: Code
  readonly uses: Part<Use>
  readonly notice?: Content
}

/** One code: its terms, its limits, and the orders that used it. */
export const promoCodePage = (visit: AdminVisit, key: string, { code, notice, uses, ...typed }: Shown): Page =>
  adminPage(
    visit,
    {
      ...headOf(visit, html`<code>${code.code}</code>`),
      faults: typed.faults ?? {},
      ...(notice !== undefined && { notice }),
      ...(code.ended_at === null &&
        may(visit.actor, "promo_code.change") && {
          actions: html`<a class="button danger" href="${visit.pathTo(`promo-codes/${code.id}/end`)}"
            >${text("codes.end_link")}</a
          >`
        })
    },
    html`${facts(visit, code)} ${limitForm(visit, code, key, typed)}
      <section class="card stack" aria-labelledby="uses">
        <h2 id="uses">${text("codes.uses")}</h2>
        ${uses.items.length === 0 ? html`<p>${text("codes.uses_none")}</p>` : usesTable(visit, uses.items)}
        ${more(visit, `promo-codes/${code.id}`, uses.next)}
      </section>`
  )

/** The form that ends a code. */
export const endPromoCodePage = (
  visit: AdminVisit,
  code: Code,
  key: string,
  { faults = {}, field: value = () => undefined }: Typed = {}
): Page =>
  adminPage(
    visit,
    { ...headOf(visit, text("codes.end_title", { code: code.code })), lead: text("codes.end_about"), faults },
    html`<section class="card">
      ${visit.form(
        visit.pathTo(`promo-codes/${code.id}/end`),
        html`${hidden("key", key)}
          <div class="stack">
            ${area({ name: "reason", label: text("admin.reason"), hint: text("admin.reason_hint"), value: value("reason"), error: faults["reason"] })}
            <div><button class="danger">${text("codes.end_button")}</button></div>
          </div>`
      )}
    </section>`
  )
