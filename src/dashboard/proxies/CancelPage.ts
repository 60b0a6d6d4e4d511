import type { Order } from "../../orders/Order.ts"
import { html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { proxyName } from "../desk/ProxyText.ts"
import type { Visit } from "../desk/Visit.ts"

/** Asks before an unpaid order is cancelled, with all orders of its payment. */
export const cancelPage = (visit: Visit, order: Order): Page => {
  const path = visit.pathTo(`proxies/${order.id}`)
  const button = html`<button class="danger">${text("shop.cancel_button")}</button>`
  return deskPage(
    visit,
    { title: text("shop.cancel_title"), section: "proxies", back: [path, proxyName(order)] },
    html`<section class="card stack" aria-labelledby="cancel">
      <h2 id="cancel">${proxyName(order)}</h2>
      <p>${text("shop.cancel_together")}</p>
      <p>${text("shop.cancel_about")}</p>
      <div class="row">
        ${visit.form(`${path}/cancel`, button)}
        <a class="button" href="${path}">${text("shop.keep_link")}</a>
      </div>
    </section>`
  )
}
