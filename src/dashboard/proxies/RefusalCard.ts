import type { Refused } from "../../orders/proxies/ProxyRefusals.ts"
import { moment, number } from "../../pages/Format.ts"
import { type Content, html, text } from "../../pages/Html.ts"
import { table } from "../../pages/Table.ts"
import type { Shown } from "./Shown.ts"

const reasons = {
  no_credentials: text("proxies.refused_no_credentials"),
  wrong_credentials: text("proxies.refused_wrong_credentials"),
  not_whitelisted: text("proxies.refused_not_whitelisted"),
  wrong_protocol: text("proxies.refused_wrong_protocol"),
  too_many_guesses: text("proxies.refused_too_many_guesses"),
  bad_request: text("proxies.refused_bad_request"),
  ended: text("proxies.refused_ended"),
  suspended: text("proxies.refused_suspended"),
  traffic_used: text("proxies.refused_traffic_used"),
  too_many_connections: text("proxies.refused_too_many_connections"),
  too_fast: text("proxies.refused_too_fast"),
  gateway_full: text("proxies.refused_gateway_full"),
  not_public: text("proxies.refused_not_public"),
  blocked_by_operator: text("proxies.refused_blocked_by_operator"),
  blocked_by_owner: text("proxies.refused_blocked_by_owner"),
  port_closed: text("proxies.refused_port_closed"),
  no_address: text("proxies.refused_no_address"),
  name_not_found: text("proxies.refused_name_not_found"),
  unreachable: text("proxies.refused_unreachable"),
  exit_down: text("proxies.refused_exit_down"),
  timeout: text("proxies.refused_timeout"),
  bad_answer: text("proxies.refused_bad_answer")
} satisfies Record<Refused["reason"], Content>

/** The rows on the page. The API has all of them. */
const rowsAtMost = 20

const whom = ({ host, port, source_ip }: Refused): Content => {
  if (source_ip !== null) return html`<code>${source_ip}</code>`
  if (host === null || port === null) return undefined
  return html`<code>${host.includes(":") ? `[${host}]` : host}:${port}</code>`
}

/** The connections that the gateway refused, newest first. */
export const refusalCard = ({ refusals }: Shown): Content =>
  refusals.length > 0 &&
  html`<section class="card" aria-labelledby="refused">
    <h2 id="refused">${text("proxies.refused_title")}</h2>
    <p class="hint">${text("proxies.refused_about")}</p>
    ${table<Refused>(
      [
        { as: "name", head: text("proxies.refused_why"), cell: ({ reason }) => reasons[reason] },
        { head: text("proxies.refused_whom"), label: text("proxies.refused_whom"), cell: whom },
        {
          as: "number",
          head: text("proxies.refused_count"),
          label: text("proxies.refused_count"),
          cell: ({ count }) => number(count)
        },
        {
          head: text("proxies.refused_last"),
          label: text("proxies.refused_last"),
          cell: ({ last_at }) => moment(last_at)
        }
      ],
      refusals.slice(0, rowsAtMost)
    )}
  </section>`
