import { parse, stringify } from "yaml"

type Group = Record<string, unknown>

/** The fields of an article that a form changes, as people write them. An absent one is left out of the file. */
export interface ArticleFields {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly state?: string | undefined
  readonly limit?: string | undefined
  /** One period in each line, such as `{ days: 30, name: 1 month, usd: 1.80 }`. */
  readonly periods: string
}

export const selectors = ["vendor", "kind", "country", "article", "days"] as const
export const terms = ["markup", "price", "floor", "round", "star_rate", "hidden", "name", "description"] as const

/** The fields of a price rule, as people write them. */
export type RuleFields = {
  readonly [Field in (typeof selectors)[number] | (typeof terms)[number]]?: string | undefined
}

const written = { aliasDuplicateObjects: false, lineWidth: 120 } as const
const inOneLine = { collectionStyle: "flow", lineWidth: 0 } as const

const groupOf = (value: unknown): Group => (typeof value === "object" && value !== null ? (value as Group) : {})

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

const without = (fields: Group) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** Reads the fields of an article of a shop file for a form. Undefined: the file has no such article. */
export const articleIn = (file: string, id: string): (ArticleFields & { readonly pool: string }) | undefined => {
  const articles = groupOf(groupOf(parse(file))["articles"])
  if (!Object.hasOwn(articles, id)) return undefined
  const { description, limit, name, periods, pool, state } = groupOf(articles[id])
  const text = (value: unknown) => (value === undefined ? undefined : String(value))
  return {
    name: text(name),
    description: text(description),
    limit: text(limit),
    state: text(state) ?? "on",
    pool: String(pool),
    periods: (Array.isArray(periods) ? periods : []).map((period) => stringify(period, inOneLine).trim()).join("\n")
  }
}

/** Changes the fields of an article in a shop file. Undefined: the file has no such article. */
export const withArticle = (file: string, id: string, fields: ArticleFields): string | undefined => {
  const shop = groupOf(parse(file))
  const articles = groupOf(shop["articles"])
  if (!Object.hasOwn(articles, id)) return undefined
  const { description, limit, name, periods, state } = fields
  const lines = periods.split(/\r?\n/).filter((line) => line.trim() !== "")
  const changed = {
    name,
    description,
    limit: limit === undefined ? undefined : whole(limit),
    state: state === "on" ? undefined : state,
    periods: lines.map(periodOf)
  }
  const article = without({ ...groupOf(articles[id]), ...changed })
  return stringify({ ...shop, articles: { ...articles, [id]: article } }, written)
}

const sameSelector = (rule: Group, other: Group) =>
  selectors.every((name) => String(rule[name] ?? "") === String(other[name] ?? ""))

const percent = (text: string) => (/[%]\s*$/.test(text) ? text : `${text}%`)

const ruleOf = ({ days, hidden, markup, ...fields }: RuleFields): Group =>
  without({
    ...fields,
    days: days === undefined ? undefined : whole(days),
    markup: markup === undefined ? undefined : percent(markup),
    hidden: hidden === undefined ? undefined : hidden === "true"
  })

/** Sets the rule of exactly these offers in a shop file. A rule without terms is removed. */
export const withRule = (file: string, fields: RuleFields): string => {
  const shop = groupOf(parse(file))
  const rule = ruleOf(fields)
  const old = Array.isArray(shop["prices"]) ? shop["prices"].map(groupOf) : []
  const others = old.filter((other) => !sameSelector(other, rule))
  const prices = terms.some((term) => rule[term] !== undefined) ? [...others, rule] : others
  return stringify({ ...shop, prices }, written)
}
