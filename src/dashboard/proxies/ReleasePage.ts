import type { Order } from "../../orders/Order.ts"
import { type Faults, field } from "../../pages/Field.ts"
import { gigabytes, moment } from "../../pages/Format.ts"
import { html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { proxyName } from "../desk/ProxyText.ts"
import type { Visit } from "../desk/Visit.ts"
import { fact } from "./Shown.ts"

const spaces = /\s+/g

/** A text without the spaces that a page does not show. */
export const plain = (text: string): string => text.trim().replace(spaces, " ")

/** The name that a person types to release a proxy: short notes, else the address of the proxy. */
export const typedName = ({ host, id, notes, port }: Order): string => {
  const name = plain(notes ?? "")
  if (name !== "" && name.length <= 60) return name
  return host === null ? id : `${host}:${port ?? ""}`
}

interface Release {
  readonly order: Order
  readonly faults?: Faults
  readonly typed?: string | undefined
}

/** Says what a release takes away, and asks for the name of the proxy. */
export const releasePage = (visit: Visit, { faults = {}, order, typed }: Release): Page => {
  const path = visit.pathTo(`proxies/${order.id}`)
  const { bandwidth_gb, expires_at } = order
  return deskPage(
    visit,
    { title: text("proxies.release_title"), section: "proxies", back: [path, proxyName(order)], faults },
    html`<section class="card stack" aria-labelledby="lost">
      <h2 id="lost">${text("proxies.release_lost")}</h2>
      <p class="note">${text("proxies.release_warning")}</p>
      <dl class="facts">
        ${expires_at !== null && fact(text("proxies.paid_until"), moment(expires_at))}
        ${fact(text("shop.traffic_fact"), bandwidth_gb === null ? text("proxies.unlimited") : gigabytes(bandwidth_gb))}
      </dl>
      ${visit.form(
        `${path}/release`,
        html`${field({
            name: "name",
            label: text("proxies.release_name"),
            hint: text("proxies.release_name_hint", { name: html`<bdi><code>${typedName(order)}</code></bdi>` }),
            autocomplete: "off",
            value: typed,
            error: faults["name"],
            more: html` autocapitalize="none" spellcheck="false"`
          })}
          <div class="row">
            <button class="danger">${text("proxies.release_button")}</button>
            <a class="button" href="${path}">${text("proxies.keep_link")}</a>
          </div>`,
        { class: "stack" }
      )}
    </section>`
  )
}
