import { DateTime } from "effect"
import { type Content, type Html, html, text } from "./Html.ts"

interface Point {
  readonly at: DateTime.Utc
  readonly value: number
}

interface Chart {
  readonly title: Content
  /** The words above the chart; absent: the sum and the highest value. */
  readonly caption?: Content
  /** The words when all values are 0. */
  readonly none?: Content
  /** True when the page shows the values in a table of its own. */
  readonly isTabled?: boolean
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

/** The numbers on the axis of values, with as many below 0 as they need. */
const axisOf = (values: ReadonlyArray<number>): ReadonlyArray<number> => {
  const [lowest, highest] = [Math.min(0, ...values), Math.max(0, ...values)]
  const ticks = ticksTo(Math.max(highest, -lowest))
  if (lowest === 0) return ticks
  const step = ticks[1] ?? 1
  const below = Array.from({ length: Math.ceil(-lowest / step) }, (_, index) => -(index + 1) * step)
  return [...below.toReversed(), ...ticks.filter((tick) => tick < highest + step)]
}

const round = (value: number) => Math.round(value * 10) / 10

/** The distance of a value from the top. */
const heightOf = (ticks: ReadonlyArray<number>, value: number): number => {
  const [bottom, top] = [ticks[0] ?? 0, ticks.at(-1) ?? 1]
  return round(159 - ((value - bottom) / (top - bottom)) * 158)
}

/** A line through the values, each in the middle of its share of the width, and the shape between it and 0. */
const paths = (values: ReadonlyArray<number>, ticks: ReadonlyArray<number>): Html => {
  const share = 600 / values.length
  const corners = values.map((value, index) => `${round((index + 0.5) * share)} ${heightOf(ticks, value)}`)
  const line = `M${corners.join("L")}`
  const zero = heightOf(ticks, 0)
  const shape = `${line}L${round(600 - share / 2)} ${zero}L${round(share / 2)} ${zero}Z`
  return html`<path class="fill" d="${shape}" /><path class="line" d="${line}" />`
}

/** The sum of the values, and the highest one. */
const sumOf = ({ points, timeText, valueText }: Chart): Content => {
  const [first, ...others] = points
  if (first === undefined) return undefined
  const peak = others.reduce((most, point) => (most.value >= point.value ? most : point), first)
  return text("chart.sum", {
    total: html`<b>${valueText(points.reduce((sum, { value }) => sum + value, 0))}</b>`,
    most: valueText(peak.value),
    time: timeText(peak.at)
  })
}

const tableOf = ({ points, timeText, title, valueText }: Chart): Html =>
  html`<details>
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
  </details>`

/**
 * A chart of values over time, in UTC, or a sentence when all are 0. The shapes stretch to the room there is; the texts stand outside of them, so they
 * have one size on a phone and on a desk. The text of a point shows when it is hovered or tapped, without a script.
 */
export const chart = (chart: Chart): Html => {
  const {
    caption = sumOf(chart),
    isTabled = false,
    none = text("chart.none"),
    points,
    timeText,
    title,
    valueText
  } = chart
  if (points.every(({ value }) => value === 0)) return html`<p class="quiet">${none}</p>`
  const values = points.map(({ value }) => value)
  const ticks = axisOf(values)
  const every = Math.ceil(points.length / 6)
  return html`<figure class="chart">
    <figcaption>${caption}</figcaption>
    <div class="plot">
      <div class="y" aria-hidden="true">
        ${ticks.toReversed().map((tick) => html`<span>${tick === 0 ? "0" : valueText(tick)}</span>`)}
      </div>
      <div class="area">
        <svg viewBox="0 0 600 160" preserveAspectRatio="none" role="img" aria-label="${title}">
          ${ticks.map((tick) => html`<path class="grid" d="M0 ${heightOf(ticks, tick)}H600" />`)}${paths(values, ticks)}
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
    ${!isTabled && tableOf(chart)}
  </figure>`
}
