import type { Paper } from "../brand/Paper.ts"
import { type Html, html, localized } from "./Html.ts"
import { table } from "./Table.ts"

/** A document on a page, made for printing. */
export const paperHtml = ({ facts, foot, heads, notes, parties, rows, title, totals }: Paper): Html =>
  html`<section class="card stack" aria-label="${localized(title)}">
    ${notes.map((note) => html`<p class="note">${localized(note)}</p>`)}
    <dl class="facts left">
      ${facts.map(
        ([name, value]) =>
          html`<dt>${localized(name)}</dt>
            <dd>${localized(value)}</dd>`
      )}
    </dl>
    <div class="tiles">
      ${parties.map(
        ([name, lines]) =>
          html`<section class="tile">
            <h2>${localized(name)}</h2>
            <p>${lines.map((line) => html`<bdi>${line}</bdi><br />`)}</p>
          </section>`
      )}
    </div>
    ${table<Paper["rows"][number]>(
      heads.map((head, index) => ({
        as: index === 0 ? "name" : "number",
        head: localized(head),
        ...(index > 0 && { label: localized(head) }),
        cell: (row) => {
          const cell = row[index]
          return cell !== undefined && html`<bdi>${localized(cell)}</bdi>`
        }
      })),
      rows
    )}
    <dl class="facts">
      ${totals.map(([name, value], index) => {
        const look = index === totals.length - 1 && html` class="total"`
        return html`<dt ${look}>${localized(name)}</dt>
          <dd ${look}>${localized(value)}</dd>`
      })}
    </dl>
    ${foot.map((line) => html`<p class="quiet"><small>${localized(line)}</small></p>`)}
  </section>`
