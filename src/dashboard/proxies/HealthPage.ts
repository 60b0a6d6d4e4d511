import { DateTime } from "effect"
import { isMobileRotating, type Order } from "../../orders/Order.ts"
import { isLive } from "../../orders/OrderStatus.ts"
import type { ProxyCheckView } from "../../orders/warranty/ProxyCheckView.ts"
import type { UptimeView } from "../../orders/warranty/UptimeView.ts"
import { chart } from "../../pages/Chart.ts"
import { type Faults, hidden } from "../../pages/Field.ts"
import { moment, number, shortDay } from "../../pages/Format.ts"
import { type Content, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { proxyName } from "../desk/ProxyText.ts"
import type { Visit } from "../desk/Visit.ts"
import { fact } from "./Shown.ts"

interface Health {
  readonly order: Order
  readonly uptime: UptimeView
  /** The check that was just made. */
  readonly check?: ProxyCheckView | undefined
  readonly notice?: Content
  readonly faults?: Faults
}

const statuses = {
  ok: html`<span class="mark good">${text("proxies.health_ok")}</span>`,
  failing: html`<span class="mark bad">${text("proxies.health_failing")}</span>`,
  unknown: text("proxies.health_unknown")
} satisfies Record<UptimeView["status"], Content>

const errors = {
  unreachable: text("proxies.test_unreachable"),
  refused: text("proxies.health_refused"),
  no_answer: text("proxies.test_no_answer"),
  timeout: text("proxies.test_timeout"),
  wrong_address: text("proxies.health_wrong_address"),
  login_refused: text("proxies.health_not_let_in"),
  address_not_allowed: text("proxies.health_not_let_in"),
  no_echo: text("proxies.health_not_tried"),
  provider_down: text("proxies.health_not_tried"),
  stopped: text("proxies.health_not_tried")
} satisfies Record<NonNullable<ProxyCheckView["checks"][number]["error"]>, Content>

const ends = {
  works: text("proxies.outage_works"),
  replaced: text("proxies.outage_replaced"),
  ended: text("proxies.outage_ended"),
  untried: text("proxies.outage_untried")
} satisfies Record<NonNullable<UptimeView["outages"][number]["ended_by"]>, Content>

const terms = {
  failing: text("proxies.replace_failing"),
  first_day: text("proxies.replace_first_day"),
  not_failing: text("proxies.replace_not_failing"),
  mobile: text("proxies.replace_mobile"),
  not_offered: text("proxies.replace_not_offered")
} satisfies Record<ProxyCheckView["replaceable"]["reason"], Content>

const checked = ({ checks, status }: ProxyCheckView) =>
  html`<div class="stack" role="status" tabindex="-1" autofocus>
    <p>${statuses[status]}</p>
    ${checks.map(
      ({ connect_ms, error, exit_ip, first_byte_ms }) =>
        html`${error !== null && html`<p>${errors[error]}</p>`}
          <dl class="facts">
            ${connect_ms !== null && fact(text("proxies.test_connect"), text("proxies.milliseconds", { count: number(connect_ms) }))}
            ${first_byte_ms !== null && fact(text("proxies.test_first_byte"), text("proxies.milliseconds", { count: number(first_byte_ms) }))}
            ${exit_ip !== null && fact(text("proxies.exit"), html`<code>${exit_ip}</code>`)}
          </dl>`
    )}
  </div>`

const checkCard = ({ form }: Visit, path: string, { check, order, uptime }: Health): Content =>
  html`<section class="card stack" aria-labelledby="check">
    <h2 id="check">${text("proxies.health_now")}</h2>
    ${
      check === undefined
        ? html`<p>
            ${statuses[uptime.status]}
            ${uptime.tried_at !== null && html` · ${text("proxies.health_tried", { time: moment(DateTime.makeUnsafe(uptime.tried_at)) })}`}
          </p>`
        : checked(check)
    }
    ${isLive(order.proxy_status) && form(`${path}/check`, html`<button>${text("proxies.health_check")}</button>`)}
  </section>`

const replaceCard = ({ form }: Visit, path: string, { check, order, uptime }: Health): Content =>
  isLive(order.proxy_status) &&
  !isMobileRotating(order) &&
  html`<section class="card stack" aria-labelledby="replace">
    <h2 id="replace">${text("proxies.replace_title")}</h2>
    <p class="hint">${text("proxies.replace_about")}</p>
    ${check !== undefined && html`<p>${terms[check.replaceable.reason]}</p>`}
    ${form(`${path}/replace`, html`<button>${text("proxies.replace_button")}</button>`)}
    <p>${uptime.auto_replace ? text("proxies.auto_replace_is_on") : text("proxies.auto_replace_is_off")}</p>
    ${form(
      `${path}/auto-replace`,
      html`${hidden("enabled", uptime.auto_replace ? "off" : "on")}
        <button class="link">
          ${uptime.auto_replace ? text("proxies.auto_replace_off_button") : text("proxies.auto_replace_on_button")}
        </button>`
    )}
  </section>`

/** The share of tries that failed, by hour. */
const chartCard = ({ uptime }: Health): Content =>
  html`<section class="card stack" aria-labelledby="uptime">
    <h2 id="uptime">${text("proxies.uptime_title")}</h2>
    ${
      uptime.uptime_percent === null
        ? html`<p>${text("proxies.uptime_none")}</p>`
        : chart({
            title: text("proxies.uptime_chart"),
            caption: text("proxies.uptime_caption", { percent: number(uptime.uptime_percent) }),
            none: text("proxies.uptime_all"),
            points: uptime.hours
              .filter(({ vantage }) => vantage !== "self")
              .map(({ failures, hour, probes }) => ({ at: DateTime.makeUnsafe(hour), value: failures / probes })),
            valueText: (value) => html`${number(Math.round(value * 100))} %`,
            timeText: shortDay
          })
    }
  </section>`

const outagesCard = ({ uptime }: Health): Content =>
  uptime.outages.length > 0 &&
  html`<section class="card" aria-labelledby="outages">
    <h2 id="outages">${text("proxies.outages")}</h2>
    ${table<UptimeView["outages"][number]>(
      [
        {
          as: "name",
          head: text("proxies.outage_from"),
          cell: ({ from_at }) => moment(DateTime.makeUnsafe(from_at))
        },
        {
          head: text("proxies.outage_to"),
          label: text("proxies.outage_to"),
          cell: ({ to_at }) => (to_at === null ? text("proxies.outage_lasts") : moment(DateTime.makeUnsafe(to_at)))
        },
        {
          head: text("proxies.outage_end"),
          label: text("proxies.outage_end"),
          cell: ({ ended_by }) => ended_by !== null && ends[ended_by]
        }
      ],
      uptime.outages
    )}
  </section>`

/** The health of a proxy, its outages, and its replacement. */
export const healthPage = (visit: Visit, shown: Health): Page => {
  const { faults, notice, order } = shown
  const path = visit.pathTo(`proxies/${order.id}`)
  return deskPage(
    visit,
    {
      title: text("proxies.health_title"),
      section: "proxies",
      back: [path, proxyName(order)],
      notice,
      ...(faults !== undefined && { faults })
    },
    html`<div class="stack">
      ${checkCard(visit, path, shown)} ${replaceCard(visit, path, shown)} ${chartCard(shown)} ${outagesCard(shown)}
    </div>`
  )
}
