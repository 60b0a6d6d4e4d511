import { type Content, type Html, html } from "./Html.ts"

interface Column<A> {
  readonly head: Content
  readonly cell: (item: A) => Content
  /** The box to tick, the name of the row, its actions, or what only a wide page has room for. */
  readonly as?: "tick" | "name" | "go" | "wide" | "number"
  /** The words before a cell with content on a phone, where the heads are hidden. */
  readonly label?: Content
}

const cellOf = <A>({ as, cell, label }: Column<A>, item: A): Html => {
  if (as === "name") return html`<th role="rowheader" scope="row" class="name">${cell(item)}</th>`
  const content = cell(item)
  const isLabelled = label !== undefined && content !== false && content !== undefined
  return html`<td role="cell" ${as !== undefined && html` class="${as}"`}${isLabelled && html` data-label="${label}"`}>
    ${content}
  </td>`
}

/** A table. Its rows become cards on a phone; without written roles, such a table would be none for screen readers. */
export const table = <A>(columns: ReadonlyArray<Column<A>>, items: ReadonlyArray<A>): Html =>
  html`<table class="cards rows" role="table">
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map(({ as, head }) => html`<th role="columnheader" scope="col" ${as !== undefined && html` class="${as}"`}>${head}</th>`)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${items.map(
        (item) =>
          html`<tr role="row">
            ${columns.map((column) => cellOf(column, item))}
          </tr>`
      )}
    </tbody>
  </table>`
