import { type Content, type Html, html, text } from "../../pages/Html.ts"
import { type Page, widePage } from "../../pages/Layout.ts"
import type { Guide } from "./Guides.ts"
import { guides } from "./Guides.ts"
import type { GuideText } from "./GuideText.ts"

/** Lists the guides, with links to them and to the documentation of the API. */
export const guideList = (docsUrl: string): Html =>
  html`<ul class="links">
    ${guides.map(
      ({ about, name, title }) =>
        html`<li>
          <a href="${docsUrl}/guides/${name}">${title}</a>
          <p class="quiet">${about}</p>
        </li>`
    )}
    <li>
      <a href="${docsUrl}">${text("guides.operations")}</a>
      <p class="quiet">${text("guides.operations_about")}</p>
    </li>
  </ul>`

const contents = ({ sections }: GuideText): Content =>
  sections.length > 1 &&
  html`<details class="contents">
    <summary>${text("guides.contents")}</summary>
    <ul class="text">
      ${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
    </ul>
  </details>`

/** The list of all guides. */
export const guidesPage = (docsUrl: string): Page =>
  widePage(
    text("guides.title"),
    html`<h1>${text("guides.title")}</h1>
      <p>${text("guides.about")}</p>
      ${guideList(docsUrl)}`
  )

/** One guide. Its text is in English. */
export const guidePage = ({ title }: Guide, guide: GuideText, docsUrl: string): Page =>
  widePage(
    title,
    html`<p class="back"><a href="${docsUrl}/guides">${text("desk.back", { to: text("guides.title") })}</a></p>
      ${contents(guide)}
      <article class="guide" lang="en">${guide.content}</article>`
  )
