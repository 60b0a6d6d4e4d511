import type { Survey } from "../../ip-check/IpSurvey.ts"
import type { Listing } from "../../ip-check/signals/Listing.ts"
import { until } from "../../pages/Format.ts"
import { counted, type Html, html, text } from "../../pages/Html.ts"
import { table } from "../../pages/Table.ts"
import type { Visit } from "../desk/Visit.ts"
import { claimText } from "./IpCheckText.ts"
import { judgement, vendorTable } from "./ResultCards.ts"

/** A list that is not loaded tells nothing, so it is never shown as "not listed". */
const listing = ({ claim, listed, network, synced_at }: Listing): Html => {
  if (synced_at === null) return html`<span class="mark">${text("ip_check.not_loaded")}</span>`
  if (!listed) return html`${text("ip_check.not_listed")}`
  return html`<span class="${claim === "blocklist" ? "mark bad" : "mark unknown"}">${text("ip_check.listed")}</span>${
      network !== null && html` <small>${text("ip_check.listed_as", { network })}</small>`
    }`
}

const found = (listings: ReadonlyArray<Listing>): Html => {
  const loaded = listings.filter(({ synced_at }) => synced_at !== null)
  const listed = loaded.filter(({ listed }) => listed)
  const missing = listings.length - loaded.length
  const note = missing > 0 && html` ${counted("ip_check.missing_lists", missing)}`
  if (loaded.length === 0) return html`<p class="note">${text("ip_check.nothing_loaded")}</p>`
  if (listed.length === 0)
    return html`<p><span class="${missing > 0 ? "mark" : "mark good"}">${text("ip_check.on_none")}</span>${note}</p>`
  const isBlocked = listed.some(({ claim }) => claim === "blocklist")
  return html`<p>
    <span class="${isBlocked ? "mark bad" : "mark unknown"}"
      >${counted("ip_check.on_lists", listed.length, { loaded: loaded.length })}</span
    >${note}
  </p>`
}

const listTable = ({ now }: Visit, listings: ReadonlyArray<Listing>): Html =>
  table<Listing>(
    [
      {
        as: "name",
        head: text("ip_check.list"),
        cell: ({ attribution, label }) => html`<b>${label}</b> <small lang="en">${attribution}</small>`
      },
      { head: text("ip_check.meaning"), label: text("ip_check.meaning"), cell: ({ claim }) => claimText[claim] },
      { head: text("ip_check.listing"), label: text("ip_check.listing"), cell: listing },
      {
        head: text("ip_check.synced"),
        label: text("ip_check.synced"),
        cell: ({ synced_at }) => (synced_at === null ? "–" : until(synced_at, now))
      }
    ],
    listings
  )

const known = (check: Survey["cached_check"]): Html =>
  check === null
    ? html`<p class="quiet">${text("ip_check.not_asked")}</p>`
    : html`<section class="card stack" aria-labelledby="known">
        <h2 id="known">${text("ip_check.known_title")}</h2>
        ${judgement(check)} ${vendorTable(check.vendors)}
      </section>`

/** A comparison of an address with the published lists. */
export const surveyCards = (visit: Visit, { cached_check, ip, listings }: Survey): Html =>
  html`<section class="card stack" role="status" aria-labelledby="survey">
      <h2 id="survey" tabindex="-1" autofocus>${text("ip_check.survey_title", { ip })}</h2>
      ${found(listings)} ${listings.length > 0 && listTable(visit, listings)}
    </section>
    ${known(cached_check)}`
