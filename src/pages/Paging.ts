import { type Content, html, text } from "./Html.ts"

/** A part of a list. */
export interface Part {
  readonly offset: number
  readonly limit: number
  readonly total: number
}

/** Reads the offset of a query; 0 for anything that is not a number of at most six digits. */
export const offsetOf = (query: URLSearchParams): number => {
  const given = query.get("offset") ?? ""
  return /^\d{1,6}$/.test(given) ? Number(given) : 0
}

/** Says which part of a list a page shows, with links to the parts before and after it. */
export const paging = ({ limit, offset, total }: Part, pathAt: (offset: number) => string): Content =>
  total > limit &&
  html`<nav class="row" aria-label="${text("desk.pages")}">
    <small>${text("desk.range", { from: offset + 1, to: Math.min(offset + limit, total), total })}</small>
    ${offset > 0 && html`<a class="button small" href="${pathAt(Math.max(0, offset - limit))}">${text("desk.previous")}</a>`}
    ${offset + limit < total && html`<a class="button small" href="${pathAt(offset + limit)}">${text("desk.next")}</a>`}
  </nav>`
