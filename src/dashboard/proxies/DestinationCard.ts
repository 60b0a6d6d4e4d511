import type { DestinationRule } from "../../orders/proxies/ProxyDestinations.ts"
import { area } from "../../pages/Field.ts"
import { type Content, html, text } from "../../pages/Html.ts"
import type { Visit } from "../desk/Visit.ts"
import { type Shown, valueOf } from "./Shown.ts"

const portsOf = ({ first_port, last_port }: DestinationRule) => {
  if (first_port === null) return ""
  return first_port === last_port ? ` ${first_port}` : ` ${first_port}-${last_port}`
}

/** Writes a rule as a line of the form, such as `deny example.com 80-90`. */
const lineOf = (rule: DestinationRule) => `${rule.action} ${rule.host_suffix ?? rule.network ?? "*"}${portsOf(rule)}`

/** The owner's rules about the destinations of a proxy. */
export const destinationCard = ({ form }: Visit, path: string, shown: Shown): Content =>
  shown.destinations !== undefined &&
  html`<section class="card stack" aria-labelledby="destinations-title">
    <h2 id="destinations-title">${text("proxies.destinations_title")}</h2>
    ${form(
      `${path}/destinations`,
      html`${area({
          name: "destinations",
          label: text("proxies.destinations"),
          hint: text("proxies.destinations_hint"),
          value: valueOf(shown, "destinations", shown.destinations.map(lineOf).join("\n")),
          error: shown.faults?.["destinations"],
          optional: true
        })}
        <div><button>${text("proxies.destinations_button")}</button></div>`,
      { class: "stack" }
    )}
  </section>`
