import type { Brand } from "../brand/Brand.ts"
import { type Content, type Html, html, text } from "./Html.ts"
import { type LanguageCode, names } from "../brand/LanguageCode.ts"

const joined = (parts: ReadonlyArray<Html>): ReadonlyArray<Html> =>
  parts.map((part, index) => (index === 0 ? part : html` · ${part}`))

const line = (label: Content, parts: ReadonlyArray<Html>): Content =>
  parts.length > 0 && html`<p>${label}${joined(parts)}</p>`

interface Place {
  readonly app_url: string
  readonly docs_url: string
  readonly language: LanguageCode
  /** The path of the page. */
  readonly path: string
}

/** Links that show the same page in another language. */
const languages = ({ app_url, language, path }: Place): ReadonlyArray<Html> =>
  Object.entries(names)
    .filter(([code]) => code !== language)
    .map(
      ([code, name]) =>
        html`<a
          href="${app_url}/language/${code}?${new URLSearchParams({ next: path }).toString()}"
          lang="${code}"
          hreflang="${code}"
          rel="nofollow"
          >${name}</a
        >`
    )

/** The foot of every page: the support, the company, guides and status, the legal texts and the other languages. */
export const footer = ({ address, company, legal, support_email, support_url }: Brand, place: Place): Html => {
  const support = [
    ...(support_email === undefined ? [] : [html`<a href="mailto:${support_email}">${support_email}</a>`]),
    ...(support_url === undefined ? [] : [html`<a href="${support_url}">${support_url.replace("https://", "")}</a>`])
  ]
  const owner = [company, address].flatMap((line) => (line === undefined ? [] : [html`${line}`]))
  // Complete addresses, because another host may serve some pages.
  const help = [
    html`<a href="${place.docs_url}/guides">${text("guides.title")}</a>`,
    html`<a href="${place.app_url}/status">${text("status.title")}</a>`
  ]
  const texts = legal.map(({ name, title }) => html`<a href="${place.app_url}/legal/${name}">${title}</a>`)
  return html`<footer>
    ${line(html`${text("page.support")} `, support)}${line(undefined, owner)}${line(undefined, [...help, ...texts, ...languages(place)])}
  </footer> `
}
