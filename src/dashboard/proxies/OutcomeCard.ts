import { counted, type Html, html } from "../../pages/Html.ts"
import type { Visit } from "../desk/Visit.ts"
import type { Outcome } from "./ChosenProxies.ts"
import { linkTo } from "./ProxyWords.ts"

/** Says how many proxies a change reached, and which refused it and why. */
export const outcomeCard = (visit: Visit, { done, refused }: Outcome): Html =>
  html`<section class="card stack" role="status" aria-labelledby="outcome">
    <h2 id="outcome">${counted("proxy_list.done", done.length)}</h2>
    ${
      refused.length > 0 &&
      html`<p>${counted("proxy_list.refused", refused.length)}</p>
        <ul>
          ${refused.map(({ order, why }) => html`<li>${linkTo(visit, order)}: ${why}</li>`)}
        </ul>`
    }
  </section>`
