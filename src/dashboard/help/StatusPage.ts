import type { Announcement } from "../../announcements/Announcement.ts"
import { type Content, counted, type Html, html, localized, text } from "../../pages/Html.ts"
import { type Page, widePage } from "../../pages/Layout.ts"
import { banners } from "../desk/Banners.ts"
import { kindText } from "../desk/ProxyText.ts"
import type { ServiceStatus, SoldKind } from "./ServiceStatus.ts"

/** The names of countries, in the order of the reader's language. */
const countries = (codes: ReadonlyArray<string>): Content =>
  localized(({ code, country }) =>
    codes
      .map((one) => country.of(one) ?? one)
      .toSorted((one, other) => one.localeCompare(other, code))
      .join(", ")
  )

const sold = ({ available, kind, soldOut }: SoldKind): Html =>
  html`<section>
    <h3>
      ${kindText[kind]}
      ${
        available.length > 0
          ? html`<span class="mark good">${counted("status.in_stock", available.length)}</span>`
          : html`<span class="mark">${text("shop.sold_out")}</span>`
      }
    </h3>
    ${available.length > 0 && html`<p>${text("status.available", { countries: countries(available) })}</p>`}
    ${soldOut.length > 0 && html`<p class="quiet">${text("status.sold_out", { countries: countries(soldOut) })}</p>`}
  </section>`

/** The state of the service and of what it sells. */
export const statusParts = ({ isReady, kinds }: ServiceStatus): Html =>
  html`<p class="${isReady ? "done" : "note"}" role="status">
      ${isReady ? text("status.ready") : text("status.not_ready")}
    </p>
    ${kinds.length === 0 && html`<p>${text("status.nothing")}</p>`} ${kinds.map(sold)}`

/** The state of the service, for everybody. */
export const statusPage = (status: ServiceStatus, announcements: ReadonlyArray<Announcement>): Page =>
  widePage(
    text("status.title"),
    html`<h1>${text("status.title")}</h1>
      ${banners(announcements)} ${statusParts(status)}`
  )
