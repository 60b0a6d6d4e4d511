import { isLive } from "../../orders/OrderStatus.ts"
import { gigabytes, moment, money, number } from "../../pages/Format.ts"
import { type Content, counted, html, text } from "../../pages/Html.ts"
import { paging } from "../../pages/Paging.ts"
import { table } from "../../pages/Table.ts"
import type { Visit } from "../desk/Visit.ts"
import { wasNeverPaid } from "./ProxyWords.ts"
import { fact, type Shown } from "./Shown.ts"

type Event = Shown["history"]["events"][number]

const events = {
  ordered: text("proxies.event_ordered"),
  paid: text("proxies.event_paid"),
  delivered: text("proxies.event_active"),
  not_delivered: text("proxies.event_not_delivered"),
  extended: text("proxies.event_restart"),
  renewed: text("proxies.event_renewed"),
  renewal_failed: text("proxies.event_renewal_failed"),
  change_failed: text("proxies.event_change_failed"),
  refunded: text("proxies.event_refunded"),
  ended: text("proxies.event_expired"),
  cancelled: text("proxies.event_cancelled"),
  auto_renew_on: text("proxies.event_auto_renew_on"),
  auto_renew_off: text("proxies.event_auto_renew_off"),
  whitelist: text("proxies.event_whitelist"),
  credentials: text("proxies.event_credentials"),
  protocol: text("proxies.event_protocol"),
  rotated: text("proxies.event_rotated"),
  signature: text("proxies.event_signature"),
  destinations: text("proxies.event_destinations"),
  released: text("proxies.event_released"),
  time_given: text("proxies.event_time_given"),
  replaced: text("proxies.event_replaced")
} satisfies Record<Exclude<Event["kind"], "traffic">, Content>

const reasons = {
  balance: text("proxies.why_balance"),
  stopped: text("proxies.why_stopped"),
  not_sold: text("proxies.why_not_sold"),
  not_now: text("proxies.why_not_now"),
  not_shown: text("proxies.why_not_shown"),
  provider_refused: text("proxies.why_provider_refused"),
  provider_down: text("proxies.why_provider_down")
} satisfies Record<NonNullable<Event["reason"]>, Content>

const whatHappened = (order: Shown["order"], { added_gb, kind, months }: Event): Content => {
  if (kind === "ordered" && !wasNeverPaid(order) && order.payment_intent_id === null)
    return text("proxies.event_bought")
  if (kind === "extended" && months !== null) return counted("proxies.event_append", months)
  if (kind === "traffic") return text("proxies.event_traffic", { amount: gigabytes(added_gb ?? 0) })
  return events[kind]
}

/** An event in words, with the reason of a failure. */
const eventText =
  (order: Shown["order"]) =>
  (event: Event): Content =>
    html`${whatHappened(order, event)}${event.reason !== null && html`<small>${reasons[event.reason]}</small>`}`

const actorText = ({ actor, actor_name }: Event): Content => {
  const name = html`<bdi>${actor_name ?? ""}</bdi>`
  if (actor === "api_key") return actor_name === null ? text("proxies.by_old_key") : text("proxies.by_key", { name })
  if (actor === "oauth") return actor_name === null ? text("proxies.by_old_app") : text("proxies.by_app", { name })
  return actor === "service" ? text("proxies.by_service") : text("proxies.by_you")
}

const amountText = ({ currency, total }: Event): Content =>
  currency !== null && total !== null && money(currency, total)

/** The history of a proxy, newest first. */
export const historyCard = (path: string, { history, order, part }: Shown): Content =>
  history.total > 0 &&
  html`<section class="card" aria-labelledby="history">
    <h2 id="history">${text("proxies.history")}</h2>
    ${table<Event>(
      [
        { as: "name", head: text("proxies.event"), cell: eventText(order) },
        { head: text("proxies.event_by"), label: text("proxies.event_by"), cell: actorText },
        {
          head: text("proxies.event_at"),
          label: text("proxies.event_at"),
          cell: ({ occurred_at }) => moment(occurred_at)
        },
        { as: "number", head: text("wallet.amount"), label: text("wallet.amount"), cell: amountText }
      ],
      history.events
    )}
    ${paging({ ...part, total: history.total }, (offset) => `${path}?offset=${offset}#history`)}
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
    <p><a href="${path}/health">${text("proxies.health_link")}</a></p>
  </section>`
