import { BlocklistRegistry } from "../../ip-check/blocklists/BlocklistRegistry.ts"
import type { IpCheckView } from "../../ip-check/IpCheckView.ts"
import type { ReportedSignals } from "../../ip-check/signals/IpSignals.ts"
import type { VendorRow } from "../../ip-check/signals/VendorReport.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import { table } from "../../pages/Table.ts"
import { bandMark, signalText, verdictMark, verdictText } from "./IpCheckText.ts"

/** The result of a check, from whichever request. */
export type Result = Pick<IpCheckView, "ip" | "verdict" | "risk_score" | "signals" | "vendors" | "partial">

/** The verdict in a sentence, and the score on a bar. */
export const judgement = ({ risk_score, verdict }: Pick<Result, "risk_score" | "verdict">): Html =>
  html`<p>${verdictMark(verdict)} ${verdictText[verdict].about}</p>
    <div class="field">
      <div class="bar">
        <label for="score">${text("ip_check.score")}</label><b>${text("ip_check.of_100", { score: risk_score })}</b>
      </div>
      <meter id="score" min="0" max="100" low="34" high="67" optimum="0" value="${risk_score}">${risk_score}</meter>
    </div>`

/** Words of a vendor, which are in English. */
const quoted = (words: string): Html => html`<span lang="en">${words}</span>`

/** One row for each vendor. A vendor that was not reached has no opinion. */
export const vendorTable = (vendors: ReadonlyArray<VendorRow>): Html =>
  table<VendorRow>(
    [
      { as: "name", head: text("ip_check.vendor"), cell: ({ label }) => html`<b>${label}</b>` },
      {
        head: text("ip_check.opinion"),
        label: text("ip_check.opinion"),
        cell: (row) =>
          row.status === "ok"
            ? bandMark(row.band)
            : html`<span class="mark">${text("ip_check.not_reached")}</span>
                <small>${text("ip_check.not_reached_about")}</small>`
      },
      {
        head: text("ip_check.vendor_score"),
        label: text("ip_check.vendor_score"),
        cell: (row) =>
          row.status === "ok"
            ? html`${text("ip_check.of_100", { score: row.score })}<br /><small
                  >${row.score_derived ? text("ip_check.derived") : quoted(row.score_metric)}</small
                >`
            : "–"
      },
      {
        head: text("ip_check.vendor_risk"),
        label: text("ip_check.vendor_risk"),
        cell: (row) =>
          row.status === "ok" ? html`${quoted(row.risk)}<br /><small>${quoted(row.risk_metric)}</small>` : "–"
      }
    ],
    vendors
  )

const names = Object.keys(signalText) as ReadonlyArray<keyof ReportedSignals>

const signalList = (signals: Result["signals"]): Html =>
  html`<dl class="facts">
    ${names.map(
      (name) =>
        html`<dt>${signalText[name]}</dt>
          <dd>
            ${
              signals[name]
                ? html`<span class="mark unknown">${text("ip_check.reported")}</span>`
                : text("ip_check.not_reported")
            }
          </dd>`
    )}
  </dl>`

const blocklist = (id: string): Html => {
  const list = BlocklistRegistry.find((known) => known.id === id)
  return html`<li>
    <b>${list?.label ?? id}</b>${list !== undefined && html`<br /><small lang="en">${list.attribution}</small>`}
  </li>`
}

/** A list that is not loaded tells nothing, so its silence is never shown as good news. */
const unlisted = (partial: boolean, hasBlocklists: boolean): Phrase => {
  if (!partial) return text("ip_check.lists_none")
  return hasBlocklists ? text("ip_check.lists_none_of_some") : text("ip_check.lists_not_loaded")
}

interface Around {
  /** Rows below the verdict, such as the cost. */
  readonly facts: Content
  /** True when at least one blocklist is loaded now. */
  readonly hasBlocklists: boolean
}

/** All that a check found. */
export const resultCards = (result: Result, { facts, hasBlocklists }: Around): Html => {
  const { partial, signals, vendors } = result
  return html`<section class="card stack" role="status" aria-labelledby="result">
      <h2 id="result" tabindex="-1" autofocus>${text("ip_check.result_title", { ip: result.ip })}</h2>
      ${judgement(result)} ${partial && html`<p class="note">${text("ip_check.partial")}</p>`}
      <dl class="facts">${facts}</dl>
    </section>
    <section class="card" aria-labelledby="vendors">
      <h2 id="vendors">${text("ip_check.vendors_title")}</h2>
      ${vendorTable(vendors)}
    </section>
    <div class="two">
      <section class="card stack" aria-labelledby="signals">
        <h2 id="signals">${text("ip_check.signals_title")}</h2>
        ${signalList(signals)}
        <p class="quiet">${text("ip_check.signals_note")}</p>
      </section>
      <section class="card stack" aria-labelledby="lists">
        <h2 id="lists">${text("ip_check.lists_title")}</h2>
        ${
          signals.blocklists.length === 0
            ? html`<p>${unlisted(partial, hasBlocklists)}</p>`
            : html`<p>${text("ip_check.lists_on")}</p>
                <ul class="text">
                  ${signals.blocklists.map(blocklist)}
                </ul>`
        }
      </section>
    </div>`
}
