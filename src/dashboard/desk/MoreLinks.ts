import { type Html, html, type Phrase } from "../../pages/Html.ts"
import type { Visit } from "./Visit.ts"

/** A page with what one does there. */
export type MoreLink = readonly [path: string, title: Phrase, about: Phrase]

/** The card that leads to the other pages of a subject. */
export const moreLinks = ({ pathTo }: Visit, id: string, title: Phrase, links: ReadonlyArray<MoreLink>): Html =>
  html`<section class="card" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    <ul class="text">
      ${links.map(
        ([path, title, about]) =>
          html`<li><a href="${pathTo(path)}">${title}</a><br /><small class="quiet">${about}</small></li>`
      )}
    </ul>
  </section>`
