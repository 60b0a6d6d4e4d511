import { isLive } from "../../orders/OrderStatus.ts"
import { area } from "../../pages/Field.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import type { Visit } from "../desk/Visit.ts"
import { type Shown, valueOf } from "./Shown.ts"

/** True while a person may type on the page: a form was opened, or came back with its faults. */
export const isTyping = ({ query }: Visit, { faults }: Shown): boolean =>
  faults !== undefined || query.get("edit") === "notes"

/** The notes of an order that still waits. Its page loads again by itself, so the form has a page of its own. */
export const labelsLink = (path: string, { order }: Shown): Html =>
  html`<section class="card stack" aria-labelledby="labels">
    <h2 id="labels">${text("proxies.labels")}</h2>
    ${order.notes !== null && html`<p><bdi>${order.notes}</bdi></p>`}
    <div><a class="button" href="${path}?edit=notes#labels">${text("proxies.notes_link")}</a></div>
  </section>`

/** The notes and the tags of a proxy. Only a live proxy has tags. */
export const labelsCard = ({ form }: Visit, path: string, shown: Shown): Html =>
  html`<section class="card stack" aria-labelledby="labels">
    <h2 id="labels">${text("proxies.labels")}</h2>
    ${form(
      `${path}/notes`,
      html`${area({
          name: "notes",
          label: text("proxies.notes"),
          hint: text("proxies.notes_hint"),
          rows: 2,
          value: valueOf(shown, "notes", shown.order.notes ?? ""),
          error: shown.faults?.["notes"],
          optional: true
        })}
        <div><button>${text("proxies.notes_button")}</button></div>`,
      { class: "stack" }
    )}
    ${
      isLive(shown.order.proxy_status) &&
      form(
        `${path}/tags`,
        html`${area({
            name: "tags",
            label: text("proxies.tags"),
            hint: text("proxies.tags_hint"),
            rows: 2,
            value: valueOf(shown, "tags", shown.order.tags.join("\n")),
            error: shown.faults?.["tags"],
            optional: true
          })}
          <div><button>${text("proxies.tags_button")}</button></div>`,
        { class: "stack" }
      )
    }
  </section>`

/** Leads to the page that releases the proxy. */
export const releaseCard = (path: string, { order }: Shown): Content =>
  isLive(order.proxy_status) &&
  html`<section class="card stack" aria-labelledby="release">
    <h2 id="release">${text("proxies.release_title")}</h2>
    <p>${text("proxies.release_about")}</p>
    <div><a class="button danger" href="${path}/release">${text("proxies.release_link")}</a></div>
  </section>`
