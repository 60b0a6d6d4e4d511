import { field, select } from "../../pages/Field.ts"
import { country, number } from "../../pages/Format.ts"
import { type Content, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import { may } from "../../staff/Actor.ts"
import type { ArticleView, CascadeView, RuleView } from "../../staff/shop/ShopViews.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { amount } from "../desk/Amount.ts"

type Article = typeof ArticleView.Type
type Cascade = typeof CascadeView.Type
type Part = Cascade["parts"][number]
type Price = Cascade["prices"][number]
type Rule = typeof RuleView.Type

const kinds = {
  datacenter: text("proxy.datacenter"),
  residential: text("proxy.residential"),
  mobile: text("proxy.mobile")
} satisfies Record<Article["kind"], Phrase>

const states = {
  on: [text("goods.state_on"), "good"],
  renew_only: [text("goods.state_renew_only"), "unknown"],
  off: [text("goods.state_off"), "bad"]
} as const satisfies Record<Article["state"], readonly [Phrase, string]>

/** The page above the other pages of the shop. */
export const backToShop = ({ pathTo }: AdminVisit) => [pathTo("shop"), text("goods.title")] as const

const priceText = ({ star, usd }: Price["price"]): Content => {
  if (usd === null) return text("goods.not_sold")
  const dollars = amount("USD", usd)
  return star === null ? dollars : text("goods.or_stars", { usd: dollars, stars: amount("STAR", star) })
}

const periodsShown = 4

const pricesOf = ({ periods }: Article): Content => [
  periods
    .slice(0, periodsShown)
    .map(({ name, price }, index) => html`${index > 0 && html`<br />`}${name}: ${priceText(price)}`),
  periods.length > periodsShown &&
    html`<br /><small>${text("goods.more_periods", { count: periods.length - periodsShown })}</small>`
]

const actionsHead = html`<span class="hidden">${text("desk.actions")}</span>`

const articleTable = ({ actor, pathTo }: AdminVisit, items: ReadonlyArray<Article>) =>
  table<Article>(
    [
      {
        head: text("goods.article"),
        as: "name",
        cell: ({ id, name }) => html`<b>${name}</b> <small><code>${id}</code></small>`
      },
      {
        head: text("order.kind"),
        label: text("order.kind"),
        cell: ({ country_code, ip_version, kind }) => html`${kinds[kind]} ${ip_version}, ${country(country_code)}`
      },
      { head: text("goods.pool"), label: text("goods.pool"), cell: ({ pool }) => html`<code>${pool}</code>` },
      {
        head: text("admin.state"),
        label: text("admin.state"),
        cell: ({ listed, state }) =>
          html`<span class="mark ${states[state][1]}">${states[state][0]}</span>
            ${state === "on" && !listed && html`<small>${text("goods.not_listed")}</small>`}`
      },
      {
        head: text("goods.running"),
        label: text("goods.running"),
        as: "number",
        cell: ({ running }) => number(running)
      },
      { head: text("goods.prices"), label: text("goods.prices"), cell: pricesOf },
      {
        head: actionsHead,
        as: "go",
        cell: ({ id, offer_id }) => [
          offer_id !== null &&
            html`<a class="button small" href="${pathTo(`shop/offers/${offer_id}`)}">${text("goods.price_link")}</a>`,
          " ",
          may(actor, "shop.change") &&
            html`<a class="button small" href="${pathTo(`shop/articles/${id}`)}">${text("goods.edit_link")}</a>`
        ]
      }
    ],
    items
  )

const filterForm = ({ pathTo, query }: AdminVisit): Content =>
  html`<form class="card row" method="get" action="${pathTo("shop")}">
    ${select({ name: "kind", label: text("order.kind"), value: query.get("kind") ?? "", options: [["", text("goods.all_kinds")], ...Object.entries(kinds)] })}
    ${field({ name: "country", label: text("order.country"), hint: text("goods.country_hint"), autocomplete: "off", optional: true, value: query.get("country") ?? "" })}
    <button>${text("admin.filter_button")}</button>
  </form>`

interface ShownShop {
  readonly items: ReadonlyArray<Article>
  readonly next: string | null
  readonly isDemo: boolean
  readonly notice?: Content
}

/** The articles of the gateway. */
export const shopPage = (visit: AdminVisit, { isDemo, items, next, notice }: ShownShop): Page => {
  const { pathTo, query } = visit
  const following = new URLSearchParams(query)
  following.delete("done")
  following.set("after", next ?? "")
  return adminPage(
    visit,
    {
      title: text("goods.title"),
      section: "shop",
      lead: text("goods.lead"),
      ...(notice !== undefined && { notice }),
      ...(isDemo && { warning: text("goods.demo") }),
      actions: html`<a class="button" href="${pathTo("shop/rules")}">${text("goods.rules_link")}</a>
        <a class="button" href="${pathTo("shop/file")}">${text("goods.file_link")}</a>`
    },
    html`${filterForm(visit)} ${items.length === 0 ? html`<p>${text("goods.none")}</p>` : articleTable(visit, items)}
    ${next !== null && html`<p><a class="button small" href="${pathTo("shop")}?${following.toString()}">${text("admin.next_page")}</a></p>`}`
  )
}

const selectors = ["vendor", "kind", "country", "article", "days"] as const

/** The address of the form of a rule: the offers that it is for. */
const rulePath = ({ pathTo }: AdminVisit, rule: Rule["rule"]): string => {
  const given = selectors.flatMap((name) => (rule[name] === undefined ? [] : [[name, String(rule[name])]]))
  return `${pathTo("shop/rule")}?${new URLSearchParams(given).toString()}`
}

const written = (fields: ReadonlyArray<readonly [string, unknown]>) =>
  fields.map(([name, value]) => `${name}: ${String(value)}`).join(", ")

const isSelector = (name: string) => (selectors as ReadonlyArray<string>).includes(name)

const ruleText = (rule: Rule["rule"]): Content => {
  const fields = Object.entries(rule).filter(([name]) => isSelector(name))
  return fields.length === 0 ? text("goods.rule_all") : html`<code>${written(fields)}</code>`
}

interface ShownRules {
  readonly rules: ReadonlyArray<Rule>
  /** The position of the next rule; undefined on the last page. */
  readonly next: number | undefined
}

/** The price rules with their reach. */
export const rulesPage = (visit: AdminVisit, { next, rules }: ShownRules): Page => {
  const { actor, pathTo } = visit
  const mayChange = may(actor, "shop.price")
  return adminPage(
    visit,
    {
      title: text("goods.rules_title"),
      section: "shop",
      back: backToShop(visit),
      lead: text("goods.rules_lead"),
      ...(mayChange && {
        actions: html`<a class="button" href="${pathTo("shop/rule")}">${text("goods.rule_new_link")}</a>`
      })
    },
    html`${
      rules.length === 0
        ? html`<p>${text("goods.rules_none")}</p>`
        : table<Rule>(
            [
              { head: text("goods.rule"), as: "name", cell: ({ rule }) => ruleText(rule) },
              {
                head: text("goods.rule_sets"),
                label: text("goods.rule_sets"),
                cell: ({ rule }) =>
                  html`<code>${written(Object.entries(rule).filter(([name]) => !isSelector(name)))}</code>`
              },
              {
                head: text("goods.rule_offers"),
                label: text("goods.rule_offers"),
                as: "number",
                cell: ({ offers }) => number(offers)
              },
              {
                head: actionsHead,
                as: "go",
                cell: ({ rule }) =>
                  mayChange &&
                  html`<a class="button small" href="${rulePath(visit, rule)}">${text("goods.edit_link")}</a>`
              }
            ],
            rules
          )
    }
    ${next !== undefined && html`<p><a class="button small" href="${pathTo("shop/rules")}?after=${next}">${text("admin.next_page")}</a></p>`}`
  )
}

const partText = (visit: AdminVisit, { part, rule, value }: Part, index: number): Content =>
  html`${index > 0 && html`<br />`}<code>${part}: ${value}</code>
    <small
      >${
        rule === null
          ? text("goods.price_setting")
          : may(visit.actor, "shop.price")
            ? html`<a href="${rulePath(visit, rule)}">${ruleText(rule)}</a>`
            : ruleText(rule)
      }</small
    >`

const partsText = (visit: AdminVisit, parts: ReadonlyArray<Part>): Content =>
  parts.length === 0 ? text("goods.price_plain") : parts.map((part, index) => partText(visit, part, index))

/** Explains the prices of an offer: each part, and the rule that set it. */
export const cascadePage = (visit: AdminVisit, { external_id, name, parts, prices, provider }: Cascade): Page =>
  adminPage(
    visit,
    {
      title: text("goods.price_title", { name }),
      section: "shop",
      back: backToShop(visit),
      lead: html`${text("goods.price_lead")} <code>${provider} ${external_id}</code>`
    },
    html`${table<Price>(
        [
          {
            head: text("goods.periods"),
            as: "name",
            cell: ({ days, name }) => (days === null ? text("goods.price_traffic") : `${name} (${days})`)
          },
          {
            head: text("goods.price_base"),
            label: text("goods.price_base"),
            as: "number",
            cell: ({ base }) => priceText(base)
          },
          {
            head: text("goods.price_now"),
            label: text("goods.price_now"),
            as: "number",
            cell: ({ price }) => priceText(price)
          },
          {
            head: text("goods.price_parts"),
            label: text("goods.price_parts"),
            cell: ({ parts }) => partsText(visit, parts)
          }
        ],
        prices
      )}
      <section class="card">
        <h2>${text("goods.price_words")}</h2>
        <p>${partsText(visit, parts)}</p>
      </section>`
  )
