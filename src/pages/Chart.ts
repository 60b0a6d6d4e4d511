import { DateTime } from "effect"
import { type Content, type Html, html, text } from "./Html.ts"

interface Point {
  readonly at: DateTime.Utc
  readonly value: number
}

interface Chart {
  readonly title: Content
  readonly points: ReadonlyArray<Point>
  readonly valueText: (value: number) => Content
  readonly timeText: (time: DateTime.Utc) => Content
}

/** Numbers on an axis from 0. They lie 1, 2, 2.5 or 5 times a power of ten apart; the last one is not below the highest value. */
export const ticksTo = (highest: number, wanted = 4): ReadonlyArray<number> => {
  const rough = (highest || 1) / wanted
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5].find((factor) => factor * power >= rough) ?? 10) * power
  const count = Math.max(1, Math.ceil(Number((highest / step).toPrecision(12))))
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(6)))
}

const round = (value: number) => Math.round(value * 10) / 10

/** A line through the values, each in the middle of its share of the width, and the shape below it. */
const paths = (values: ReadonlyArray<number>, top: number, width: number, height: number): Html => {
  if (values.length === 0) return html``
  const share = width / values.length
  const corners = values.map(
    (value, index) => `${round((index + 0.5) * share)} ${round(height - 1 - (value / top) * (height - 2))}`
  )
  const line = `M${corners.join("L")}`
  const shape = `${line}L${round(width - share / 2)} ${height}L${round(share / 2)} ${height}Z`
  return html`<path class="fill" d="${shape}" /><path class="line" d="${line}" />`
}

/**
 * A chart of values over time, in UTC, or a sentence when all are 0. The shapes stretch to the room there is; the texts stand outside of them, so they
 * have one size on a phone and on a desk. The text of a point shows when it is hovered or tapped, without a script.
 */
export const chart = ({ points, timeText, title, valueText }: Chart): Html => {
  if (points.every(({ value }) => value === 0)) return html`<p class="quiet">${text("chart.none")}</p>`
  const ticks = ticksTo(Math.max(0, ...points.map(({ value }) => value)))
  const top = ticks.at(-1) ?? 1
  const every = Math.ceil(points.length / 6)
  const total = valueText(points.reduce((sum, { value }) => sum + value, 0))
  const peak = points.reduce<Point | undefined>(
    (most, point) => (most !== undefined && most.value >= point.value ? most : point),
    undefined
  )
  const words = {
    total: html`<b>${total}</b>`,
    most: peak === undefined ? "" : valueText(peak.value),
    time: peak === undefined ? "" : timeText(peak.at)
  }
  return html`<figure class="chart">
    <figcaption>${text("chart.sum", words)}</figcaption>
    <div class="plot">
      <div class="y" aria-hidden="true">
        ${ticks.toReversed().map((tick) => html`<span>${tick === 0 ? "0" : valueText(tick)}</span>`)}
      </div>
      <div class="area">
        <svg viewBox="0 0 600 160" preserveAspectRatio="none" role="img" aria-label="${title}">
          ${ticks.map((tick) => html`<path class="grid" d="M0 ${round(159 - (tick / top) * 158)}H600" />`)}${paths(
            points.map(({ value }) => value),
            top,
            600,
            160
          )}
        </svg>
        <div class="hits" aria-hidden="true">
          ${points.map(
            ({ at, value }, index) =>
              html`<i
                >${index % every === 0 && html`<u ${index % (2 * every) !== 0 && html` class="second"`}>${timeText(at)}</u>`}<b
                  >${valueText(value)}<br /><small>${timeText(at)}</small></b
                ></i
              >`
          )}
        </div>
      </div>
    </div>
    <details>
      <summary>${text("chart.as_table")}</summary>
      <div class="scroll" role="region" tabindex="0" aria-label="${text("chart.table_of", { title })}">
        <table>
          <thead>
            <tr>
              <th scope="col">${text("chart.from")}</th>
              <th scope="col" class="number">${text("chart.value")}</th>
            </tr>
          </thead>
          <tbody>
            ${points.map(
              ({ at, value }) =>
                html`<tr>
                  <th scope="row"><time datetime="${DateTime.formatIso(at)}">${timeText(at)}</time></th>
                  <td class="number">${valueText(value)}</td>
                </tr>`
            )}
          </tbody>
        </table>
      </div>
    </details>
  </figure>`
}
