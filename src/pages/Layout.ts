import type { Brand } from "../brand/Brand.ts"
import { footer } from "./Footer.ts"
import { type Content, type Html, html, text } from "./Html.ts"
import { icon } from "./Icons.ts"
import type { LanguageCode } from "../brand/LanguageCode.ts"
import { logo } from "./LogoImage.ts"

/** What stands around the content of a page of the dashboard. */
interface Desk {
  readonly homePath: string
  /** A link that stays visible where the menu is a drawer. */
  readonly aside: Html
  readonly menu: Html
  /** True for tables with many rows on little room. */
  readonly isDense?: boolean
}

/** A page before the brand's head and foot are around it. */
export interface Page {
  readonly title: Content
  readonly content: Html
  readonly isWide: boolean
  readonly desk?: Desk
  /** True for a page that only says something: it leads to the overview, or to signing in first. */
  readonly leadsHome?: boolean
  /** The seconds after which a browser without scripts loads the page again. */
  readonly reloadSeconds?: number | undefined
  /** True for a page with a form that makes or uses a passkey. */
  readonly usesPasskey?: boolean
}

/** A page with one card in the middle. */
export const page = (title: Content, content: Html): Page => ({ title, content, isWide: false })

/** A wider page, for long texts. */
export const widePage = (title: Content, content: Html): Page => ({ title, content, isWide: true })

const mark = ({ logo: own, name, name_in_logo }: Brand): Html =>
  own === undefined
    ? html`${name}`
    : html`${logo(own, name_in_logo ? name : undefined)}${name_in_logo ? undefined : name}`

const classOf = ({ logo: own }: Brand) => (own === undefined ? "brand" : "brand own")

/** The way back from a page for everybody, such as a guide. */
const toDesk = (app_url: string): Html => html` <a href="${app_url}">${text("page.dashboard_link")}</a>`

const door = (brand: Brand, { content, isWide, leadsHome = false }: Page, app_url: string, foot: Html): Html =>
  html`<body class="${isWide ? "door broad" : "door"}">
    <header class="${classOf(brand)}">${mark(brand)}${isWide && toDesk(app_url)}</header>
    <main>${content} ${leadsHome && html`<p><a href="${app_url}">${text("desk.refused_link")}</a></p>`}</main>
    ${foot}
  </body>`

const desk = (brand: Brand, content: Html, { aside, homePath, isDense = false, menu }: Desk, foot: Html): Html => {
  const home = html`<a class="${classOf(brand)}" href="${homePath}">${mark(brand)}</a>`
  return html`<body class="${isDense ? "desk dense" : "desk"}">
    <a class="skip" href="#main">${text("desk.skip_link")}</a>
    <header class="top">
      ${home}${aside}<button class="plain" popovertarget="menu" aria-label="${text("desk.menu")}">
        ${icon("menu")}
      </button>
    </header>
    <nav id="menu" popover aria-label="${text("desk.menu")}">${home}${menu}</nav>
    <main id="main">${content}</main>
    ${foot}
    <p class="said" id="said" role="status"></p>
  </body>`
}

interface Surroundings {
  readonly brand: Brand
  readonly files: {
    readonly style: string
    readonly script: string
    readonly passkeyScript: string
    readonly mark: string
  }
  readonly app_url: string
  readonly docs_url: string
}

/** Makes the function that writes the complete pages of a brand. `path` is the path of the request. */
export const makeDocument =
  ({ app_url, brand, docs_url, files }: Surroundings) =>
  (page: Page, language: LanguageCode, path: string): Html => {
    const foot = footer(brand, { app_url, docs_url, language, path })
    const { content, reloadSeconds, title, usesPasskey = false } = page
    return html`<!doctype html>
      <html lang="${language}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${title} · ${brand.name}</title>
          <link rel="stylesheet" href="${files.style}" />
          <link rel="icon" href="${files.mark}" />
          <script defer src="${files.script}"></script>
          ${usesPasskey && html`<script defer src="${files.passkeyScript}"></script>`}
          ${reloadSeconds !== undefined && html`<noscript><meta http-equiv="refresh" content="${reloadSeconds}" /></noscript> `}
        </head>
        ${page.desk === undefined ? door(brand, page, app_url, foot) : desk(brand, content, page.desk, foot)}
      </html> `
  }
