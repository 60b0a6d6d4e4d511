import { type Content, type Html, html } from "./Html.ts"

interface Bar {
  readonly label: Content
  readonly value: number
}

interface BarChart {
  readonly title: Content
  readonly bars: ReadonlyArray<Bar>
  readonly valueText: (value: number) => Content
}

/** Bars that compare values. A value below 0 has another colour. The page shows the values in a table, too. */
export const barChart = ({ bars, title, valueText }: BarChart): Html => {
  const longest = Math.max(...bars.map(({ value }) => Math.abs(value)))
  const width = (value: number) => (longest === 0 ? 0 : Math.round((Math.abs(value) / longest) * 1000) / 10)
  return html`<figure class="bars">
    <figcaption>${title}</figcaption>
    ${bars.map(
      ({ label, value }) =>
        html`<span>${label}</span>
          <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
            <rect ${value < 0 && html` class="below"`} width="${width(value)}" height="1" />
          </svg>
          <span class="number">${valueText(value)}</span>`
    )}
  </figure>`
}
