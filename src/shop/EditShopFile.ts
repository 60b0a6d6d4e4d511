import { parse, stringify } from "yaml"
import type { ShopFile } from "./ShopFile.ts"

type File = typeof ShopFile.Encoded
type Article = File["articles"][string]
type Group = Readonly<Record<string, unknown>>

/** The fields of an article that a form changes, as people write them. An absent one is left out of the file. */
export interface ArticleFields {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly state?: string | undefined
  readonly limit?: string | undefined
  /** One period in each line, such as `{ days: 30, name: 1 month, usd: 1.80 }`. */
  readonly periods: string
}

const selectors = ["vendor", "kind", "country", "article", "days"] as const
const terms = ["markup", "price", "floor", "round", "star_rate", "hidden", "name", "description"] as const

/** The fields of a price rule, as people write them. */
export type RuleFields = {
  readonly [Field in (typeof selectors)[number] | (typeof terms)[number]]?: string | undefined
}

const inOneLine = { collectionStyle: "flow", lineWidth: 0 } as const

/** A whole number becomes a number; the reader of the file refuses other texts. */
const whole = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : text)

/** Reads a line as YAML. What is no YAML stays a text, which the reader of the file refuses with its place. */
const periodOf = (line: string): unknown => {
  try {
    return parse(line, { maxAliasCount: 0 })
  } catch {
    return line
  }
}

const without = (fields: Group): Group =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const articleOf = ({ articles }: File, id: string): Article | undefined =>
  Object.hasOwn(articles, id) ? articles[id] : undefined

/** Reads the fields of an article for a form. Undefined: the shop has no such article. */
export const articleIn = (file: File, id: string): ArticleFields | undefined => {
  const article = articleOf(file, id)
  if (article === undefined) return undefined
  const { description, limit, name, periods, state = "on" } = article
  return {
    name,
    description,
    limit: limit === undefined ? undefined : String(limit),
    state,
    periods: periods.map((period) => stringify(period, inOneLine).trim()).join("\n")
  }
}

/** Changes the fields of an article. Undefined: the shop has no such article. */
export const withArticle = (file: File, id: string, fields: ArticleFields): Group | undefined => {
  const article = articleOf(file, id)
  if (article === undefined) return undefined
  const { description, limit, name, periods, state } = fields
  const lines = periods.split("\n").filter((line) => line.trim() !== "")
  const changed = {
    name,
    description,
    limit: limit === undefined ? undefined : whole(limit),
    state: state === "on" ? undefined : state,
    periods: lines.map(periodOf)
  }
  return { ...file, articles: { ...file.articles, [id]: without({ ...article, ...changed }) } }
}

const sameSelector = (rule: Group, other: Group) =>
  selectors.every((name) => String(rule[name] ?? "") === String(other[name] ?? ""))

const percent = (text: string) => (/%\s*$/.test(text) ? text : `${text}%`)

const ruleOf = ({ days, hidden, markup, ...fields }: RuleFields): Group =>
  without({
    ...fields,
    days: days === undefined ? undefined : whole(days),
    markup: markup === undefined ? undefined : percent(markup),
    hidden: hidden === undefined ? undefined : hidden === "true"
  })

/** Sets the rule of exactly these offers. A rule without terms is removed. */
export const withRule = (file: File, fields: RuleFields): Group => {
  const rule = ruleOf(fields)
  const others = (file.prices ?? []).filter((other) => !sameSelector(other, rule))
  return { ...file, prices: terms.some((term) => rule[term] !== undefined) ? [...others, rule] : others }
}
