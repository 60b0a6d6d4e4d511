import { isLive } from "../../orders/OrderStatus.ts"
import { gigabytes, moment, number } from "../../pages/Format.ts"
import { type Content, html, text } from "../../pages/Html.ts"
import { table } from "../../pages/Table.ts"
import type { Visit } from "../desk/Visit.ts"
import { wasNeverPaid } from "./ProxyWords.ts"
import { fact, type Shown } from "./Shown.ts"

type Event = Shown["history"][number]

/** An event in words. */
const eventText =
  (order: Shown["order"]) =>
  ({ amount, kind }: Event): Content => {
    if (kind === "bought" && wasNeverPaid(order)) return text("proxies.event_ordered")
    if (kind === "append") return text("proxies.event_append", { months: number(amount ?? 0) })
    if (kind === "traffic") return text("proxies.event_traffic", { amount: gigabytes(amount ?? 0) })
    return events[kind]
  }

const events = {
  bought: text("proxies.event_bought"),
  active: text("proxies.event_active"),
  restart: text("proxies.event_restart"),
  expired: text("proxies.event_expired"),
  whitelist: text("proxies.event_whitelist"),
  credentials: text("proxies.event_credentials"),
  protocol: text("proxies.event_protocol"),
  rotated: text("proxies.event_rotated"),
  signature: text("proxies.event_signature"),
  released: text("proxies.event_released")
} satisfies Record<Exclude<Event["kind"], "append" | "traffic">, Content>

const actorText =
  (names: Shown["names"]) =>
  ({ actor, actor_id }: Event): Content => {
    const name = actor_id === null ? undefined : names.get(actor_id)
    if (actor === "api_key")
      return name === undefined
        ? text("proxies.by_old_key")
        : text("proxies.by_key", { name: html`<bdi>${name}</bdi>` })
    if (actor === "oauth")
      return name === undefined
        ? text("proxies.by_old_app")
        : text("proxies.by_app", { name: html`<bdi>${name}</bdi>` })
    return actor === "service" ? text("proxies.by_service") : text("proxies.by_you")
  }

/** The history of a proxy, newest first. */
export const historyCard = ({ history, names, order }: Shown): Content =>
  history.length > 0 &&
  html`<section class="card" aria-labelledby="history">
    <h2 id="history">${text("proxies.history")}</h2>
    ${table<Event>(
      [
        { as: "name", head: text("proxies.event"), cell: eventText(order) },
        { head: text("proxies.event_by"), cell: actorText(names) },
        { head: text("proxies.event_at"), cell: ({ occurred_at }) => moment(occurred_at) }
      ],
      history
    )}
  </section>`

const failures = {
  unreachable: text("proxies.test_unreachable"),
  login_refused: text("proxies.test_login_refused"),
  address_not_allowed: text("proxies.test_address_not_allowed"),
  refused: text("proxies.test_refused"),
  no_answer: text("proxies.test_no_answer"),
  timeout: text("proxies.test_timeout")
} satisfies Record<NonNullable<NonNullable<Shown["test"]>["failure"]>, Content>

const tested = ({
  connect_ms,
  exit_ip,
  expected_ip,
  failure,
  first_byte_ms,
  is_expected
}: NonNullable<Shown["test"]>) =>
  html`<div class="stack" role="status" tabindex="-1" autofocus>
    <p>
      ${
        failure === null
          ? html`<span class="mark good">${text("proxies.test_works")}</span>`
          : html`<span class="mark bad">${text("proxies.test_fails")}</span> ${failures[failure]}`
      }
    </p>
    <dl class="facts">
      ${connect_ms !== null && fact(text("proxies.test_connect"), text("proxies.milliseconds", { count: number(connect_ms) }))}
      ${first_byte_ms !== null && fact(text("proxies.test_first_byte"), text("proxies.milliseconds", { count: number(first_byte_ms) }))}
      ${exit_ip !== null && fact(text("proxies.exit"), html`<code>${exit_ip}</code>`)}
    </dl>
    ${
      is_expected === false &&
      html`<p class="note">
        ${text("proxies.test_other_exit", { expected: html`<code>${expected_ip ?? ""}</code>` })}
      </p>`
    }
  </div>`

/** The test of a proxy from the service's side, and its result. */
export const testCard = ({ form }: Visit, path: string, { order, test }: Shown): Content =>
  isLive(order.proxy_status) &&
  html`<section class="card stack" aria-labelledby="test">
    <h2 id="test">${text("proxies.test_title")}</h2>
    <p class="hint">${text("proxies.test_about")}</p>
    ${form(`${path}/test`, html`<button>${text("proxies.test_button")}</button>`)} ${test !== undefined && tested(test)}
  </section>`
