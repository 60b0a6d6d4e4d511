import type { Brand } from "../brand/Brand.ts"
import { type Content, type Html, escaped, text } from "./Html.ts"

const joined = (parts: ReadonlyArray<Html>): ReadonlyArray<Html> =>
  parts.map((part, index) => (index === 0 ? part : escaped` · ${part}`))

const line = (label: Content, parts: ReadonlyArray<Html>): ReadonlyArray<Html> =>
  parts.length === 0 ? [] : [escaped`<p>${label}${joined(parts)}</p>`]

/** The foot of every page: the support, the company and the legal texts. Empty when the brand has none of them. */
export const footer = ({ address, company, legal, support_email, support_url }: Brand, app_url: string): Html => {
  const support = [
    ...(support_email === undefined ? [] : [escaped`<a href="mailto:${support_email}">${support_email}</a>`]),
    ...(support_url === undefined ? [] : [escaped`<a href="${support_url}">${support_url.replace("https://", "")}</a>`])
  ]
  const owner = [company, address].flatMap((line) => (line === undefined ? [] : [escaped`${line}`]))
  // Complete addresses, because another host may serve some pages.
  const texts = legal.map(({ name, title }) => escaped`<a href="${app_url}/legal/${name}">${title}</a>`)
  const lines = [...line(escaped`${text("page.support")} `, support), ...line("", owner), ...line("", texts)]
  return lines.length === 0 ? escaped`` : escaped`<footer>${lines}</footer>\n`
}
