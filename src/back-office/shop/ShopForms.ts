import { alert, area, type Faults, field, hidden, select } from "../../pages/Field.ts"
import { number } from "../../pages/Format.ts"
import { type Content, counted, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { may } from "../../staff/Actor.ts"
import type { ShopPlan } from "../../staff/shop/ShopChanges.ts"
import type { ShopFaulty } from "../../staff/shop/ShopErrors.ts"
import { warningsFirst } from "../../staff/shop/WarningsFirst.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { backToShop } from "./ShopPages.ts"

/** The typed fields that a form shows again, and why it was not accepted. */
export interface Typed {
  readonly faults?: Faults
  readonly field?: (name: string) => string | undefined
  /** The faults of the file that the form stands for. */
  readonly faulty?: ShopFaulty["details"]
  readonly warning?: Content
  /** The version of the shop that the form is for. */
  readonly version: string
  /** Makes a form that is sent twice act once. */
  readonly key: string
}

const faultList = ({ count, faults }: ShopFaulty["details"], hasLines: boolean): Html =>
  alert(
    html`<b>${counted("goods.faults", count)}</b>${faults.map(
        ({ field, line, reason }) =>
          html`<br />${hasLines && text("goods.line", { line })}${field !== "" && html` <code>${field}</code>`}:
            ${reason}`
      )}
      ${count > faults.length && html`<br />${text("goods.more_faults", { count: number(count - faults.length) })}`}`
  )

interface Form {
  readonly title: Content
  readonly lead: Content
  readonly path: string
  /** True for a form of a text, in which faults have lines. */
  readonly hasLines?: boolean
  readonly content: (value: (name: string) => string | undefined, faults: Faults) => Html
}

/** A form of the shop. It leads to the page with the plan. */
const formPage = (visit: AdminVisit, { content, hasLines = false, lead, path, title }: Form, typed: Typed): Page => {
  const { faults = {}, faulty, field: value = () => undefined, key, version, warning } = typed
  return adminPage(
    visit,
    {
      title,
      section: "shop",
      back: backToShop(visit),
      lead,
      faults,
      ...(warning !== undefined && { warning })
    },
    html`${faulty !== undefined && faultList(faulty, hasLines)}
      <section class="card">
        ${visit.form(
          path,
          html`${hidden("version", version)}${hidden("key", key)}
            <div class="stack">
              ${content(value, faults)}
              ${field({ name: "reason", label: text("admin.reason"), hint: text("restriction.reason_hint"), autocomplete: "off", value: value("reason"), error: faults["reason"] })}
              <div><button class="primary">${text("goods.plan_button")}</button></div>
            </div>`
        )}
      </section>`
  )
}

/** The form of an article. `value` returns the present fields where nothing was typed. */
export const articleForm = (visit: AdminVisit, id: string, typed: Typed): Page =>
  formPage(
    visit,
    {
      title: html`${text("goods.article")} ${id}`,
      lead: text("goods.article_lead"),
      path: visit.pathTo(`shop/articles/${id}`),
      content: (value, faults) => {
        const line = (name: string, label: Content, hint?: Content) =>
          field({
            name,
            label,
            autocomplete: "off",
            value: value(name),
            error: faults[name],
            ...(hint !== undefined && { hint, optional: true })
          })
        return html`${select({
          name: "state",
          label: text("admin.state"),
          value: value("state"),
          error: faults["state"],
          options: [
            ["on", text("goods.state_on")],
            ["renew_only", text("goods.state_renew_only")],
            ["off", text("goods.state_off")]
          ]
        })}
        ${line("name", text("goods.name"))}
        ${area({ name: "description", label: text("goods.description"), optional: true, value: value("description"), error: faults["description"] })}
        ${area({ name: "periods", label: text("goods.periods"), hint: text("goods.periods_hint"), rows: 8, value: value("periods"), error: faults["periods"] })}
        ${line("limit", text("goods.limit"), text("goods.limit_hint"))}`
      }
    },
    typed
  )

/** The form of a price rule. */
export const ruleForm = (visit: AdminVisit, typed: Typed): Page =>
  formPage(
    visit,
    {
      title: text("goods.rule_title"),
      lead: text("goods.rule_lead"),
      path: visit.pathTo("shop/rule"),
      content: (value, faults) => {
        const line = (name: string, label: Content, hint?: Content) =>
          field({
            name,
            label,
            autocomplete: "off",
            optional: true,
            value: value(name),
            error: faults[name],
            ...(hint !== undefined && { hint })
          })
        return html`<div class="two">
            ${line("vendor", text("goods.vendor"), text("goods.vendor_hint"))}
            ${select({
              name: "kind",
              label: text("order.kind"),
              value: value("kind") ?? "",
              error: faults["kind"],
              options: [
                ["", text("goods.all_kinds")],
                ["datacenter", text("proxy.datacenter")],
                ["residential", text("proxy.residential")],
                ["mobile", text("proxy.mobile")]
              ]
            })}
            ${line("country", text("order.country"), text("goods.country_hint"))}
            ${line("article", text("goods.article_id"))} ${line("days", text("goods.days"))}
          </div>
          <div class="two">
            ${line("markup", text("goods.markup"), text("goods.markup_hint"))}
            ${line("price", text("goods.fixed"), text("goods.fixed_hint"))} ${line("floor", text("goods.floor"))}
            ${line("round", text("goods.round"))} ${line("star_rate", text("goods.star_rate"))}
            ${select({
              name: "hidden",
              label: text("goods.hidden"),
              value: value("hidden") ?? "",
              error: faults["hidden"],
              options: [
                ["", text("goods.hidden_no")],
                ["true", text("goods.hidden_true")],
                ["false", text("goods.hidden_false")]
              ]
            })}
          </div>
          ${line("name", text("goods.rule_name"))}
          ${area({ name: "description", label: text("goods.rule_description"), optional: true, value: value("description"), error: faults["description"] })}`
      }
    },
    typed
  )

/** The characters of the longest file that is read. */
const mostInFile = 4 * 1024 * 1024

/** The form of the whole file. */
export const fileForm = (visit: AdminVisit, typed: Typed): Page =>
  formPage(
    visit,
    {
      title: text("goods.file_title"),
      lead: text("goods.file_lead"),
      path: visit.pathTo("shop/file"),
      hasLines: true,
      content: (value, faults) =>
        html`${select({
          name: "what",
          label: text("goods.file_scope"),
          value: value("what") ?? "file",
          error: faults["what"],
          options: [
            ...(may(visit.actor, "shop.change") ? [["file", text("goods.scope_file")] as const] : []),
            ["prices", text("goods.scope_prices")]
          ]
        })}
        ${area({ name: "text", label: text("goods.file_text"), rows: 30, longest: mostInFile, value: value("text"), error: faults["text"] })}`
    },
    typed
  )

const mostLines = 500

interface Planned extends ShopPlan {
  readonly path: string
  readonly key: string
  /** The fields of the form, which the confirmation sends again. */
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>
  readonly warning?: Content
}

/** Shows what a change would do, warnings first, and asks for the confirmation. */
export const planPage = (visit: AdminVisit, { fields, key, lines, path, plan, version, warning }: Planned): Page => {
  const isNothing = lines.every((line) => line.startsWith("? "))
  return adminPage(
    visit,
    {
      title: text("goods.plan_title"),
      section: "shop",
      back: backToShop(visit),
      lead: text("goods.plan_lead"),
      ...(warning !== undefined && { warning })
    },
    html`<section class="card stack" aria-labelledby="effects">
      <h2 id="effects">${text("goods.plan_lines")}</h2>
      ${isNothing && html`<p>${text("goods.plan_nothing")}</p>`}
      ${lines.length > 0 && html`<pre lang="en" tabindex="0">${warningsFirst(lines).slice(0, mostLines).join("\n")}</pre>`}
      ${lines.length > mostLines && html`<p>${text("goods.plan_more", { count: number(lines.length - mostLines) })}</p>`}
      ${visit.form(
        path,
        html`${fields.map(([name, value]) => hidden(name, value))} ${hidden("plan", plan)}
          ${hidden("version", version)}${hidden("key", key)}
          <div class="row">
            <button class="primary">${text("goods.apply_button")}</button>
            <button name="edit" value="yes">${text("goods.change_button")}</button>
          </div>`
      )}
    </section>`
  )
}
