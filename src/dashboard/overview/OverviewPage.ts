import { DateTime } from "effect"
import type { Restriction } from "../../accounts/restrictions/Restriction.ts"
import type { Notification } from "../../notifications/Notification.ts"
import type { OrderCounts } from "../../orders/OrderCounts.ts"
import type { ListedOrderRow } from "../../orders/OrderView.ts"
import type { TrafficUsageView } from "../../orders/traffic/TrafficUsageView.ts"
import { chart } from "../../pages/Chart.ts"
import { gigabytes, number, shortDay, until, usd } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { noticeLink } from "../desk/NoticeLink.ts"
import { addressBehind, proxyName } from "../desk/ProxyText.ts"
import type { Visit } from "../desk/Visit.ts"

/** The search for the proxies that end soon and do not renew, the next to end first. */
export const endingSoon = { proxy_status: "expiring", auto_renew: false, sort: "expires_at" } as const

export interface Overview {
  readonly counts: OrderCounts
  /** The first proxies that end soon and do not renew, and the number of all of them. */
  readonly ending: { readonly orders: ReadonlyArray<ListedOrderRow>; readonly total: number }
  /** The newest unread notifications, and the number of all of them. */
  readonly news: { readonly notifications: ReadonlyArray<Notification>; readonly total: number }
  /** True for an account that has an API key, or is too old to be reminded of one. */
  readonly hasKey: boolean
  /** The traffic of the last 30 days; undefined while a provider does not report it. */
  readonly traffic: TrafficUsageView | undefined
  /** The open restriction of the account, if any. */
  readonly restriction: Pick<Restriction, "preset" | "public_reason"> | undefined
  /** A link to the support of the brand, if it has one. */
  readonly support: Html | undefined
}

/** A figure, which leads to the page that it is about. */
const tile = (href: string, label: Phrase, value: Content, about: Content = undefined): Html =>
  html`<section class="card tile">
    <h2><a href="${href}">${label}</a></h2>
    <p class="figure">${value}</p>
    ${about !== undefined && html`<p class="quiet">${about}</p>`}
  </section>`

const endingNote = ({ now, pathTo }: Visit, { orders, total }: Overview["ending"]): Content => {
  const query = new URLSearchParams({ ...endingSoon, auto_renew: "false" }).toString()
  return (
    orders.length > 0 &&
    html`<section class="note" aria-labelledby="ending">
      <h2 id="ending">${text("overview.ending_title")}</h2>
      <ul>
        ${orders.map(
          (order) =>
            html`<li>
              ${text("overview.ends", {
                proxy: html`<a href="${pathTo(`proxies/${order.id}`)}">${proxyName(order)}</a>${addressBehind(order)}`,
                when: until(DateTime.makeUnsafe(order.expires_at ?? 0), now)
              })}
            </li>`
        )}
      </ul>
      ${
        total > orders.length &&
        html`<p>
          <a href="${pathTo("proxies")}?${query}"
            >${text("overview.ending_more", { count: number(total - orders.length) })}</a
          >
        </p>`
      }
    </section>`
  )
}

const newsCard = (visit: Visit, { notifications, total }: Overview["news"]): Content =>
  notifications.length > 0 &&
  html`<section class="card" aria-labelledby="news">
    <h2 id="news">${text("overview.news_title")}</h2>
    <ul class="steps">
      ${notifications.map((notice) => html`<li>${notice.message} ${noticeLink(visit, notice)}</li>`)}
    </ul>
    ${
      total > notifications.length &&
      html`<p>
        <a href="${visit.pathTo("notifications")}?unread=true"
          >${text("overview.news_more", { count: number(total - notifications.length) })}</a
        >
      </p>`
    }
  </section>`

const restrictionNote = ({ restriction, support }: Overview): Content => {
  if (restriction === undefined) return undefined
  const reason = html`<b>${restriction.public_reason}</b>`
  const isHeld = restriction.preset === "hold"
  return html`<section class="note" aria-labelledby="restricted">
    <h2 id="restricted">${isHeld ? text("restricted.held_title") : text("restricted.suspended_title")}</h2>
    <p>${isHeld ? text("restricted.held", { reason }) : text("restricted.suspended", { reason })}</p>
    <p>${support === undefined ? text("restricted.ask") : text("restricted.ask_support", { link: support })}</p>
  </section>`
}

/** The first steps that the account has not done yet. */
const firstSteps = ({ balance, pathTo, user }: Visit, { counts, hasKey }: Overview): Content => {
  const isNew = counts.total === 0
  const steps: ReadonlyArray<readonly [path: string, step: Phrase, isOpen: boolean]> = [
    ["email", text("overview.first_verify"), !user.email_verified],
    ["wallet/top-up", text("help.step_top_up"), isNew && balance <= 0n],
    ["shop", text("shop.first"), isNew],
    ["keys", text("overview.first_key"), !hasKey]
  ]
  const open = steps.filter(([, , isOpen]) => isOpen)
  return (
    open.length > 0 &&
    html`<section class="card" aria-labelledby="first">
      <h2 id="first">${text("overview.first_title")}</h2>
      <ol class="text">
        ${open.map(([path, step]) => html`<li><a href="${pathTo(path)}">${step}</a></li>`)}
      </ol>
    </section>`
  )
}

const usage = (traffic: TrafficUsageView | undefined): Html =>
  html`<section class="card" aria-labelledby="traffic">
    <h2 id="traffic">${text("overview.traffic_title")}</h2>
    ${
      traffic === undefined
        ? html`<p>${text("overview.traffic_missing")}</p>`
        : chart({
            title: text("overview.traffic_title"),
            points: traffic.points.map(({ timestamp, used_delta_gb }) => ({
              at: DateTime.makeUnsafe(timestamp),
              value: used_delta_gb
            })),
            valueText: gigabytes,
            timeText: shortDay
          })
    }
  </section>`

/** The first page of the dashboard: what needs to be done, how much there is of everything, and how it went. */
export const overviewPage = (visit: Visit, overview: Overview): Page => {
  const { counts, ending, news, traffic } = overview
  return deskPage(
    visit,
    {
      title: text("desk.overview"),
      section: "",
      actions: html`<a class="button primary" href="${visit.pathTo("shop")}">${text("shop.buy_button")}</a>`
    },
    html`${restrictionNote(overview)} ${endingNote(visit, ending)} ${newsCard(visit, news)}
      ${firstSteps(visit, overview)}
      <div class="tiles">
        ${tile(visit.pathTo("proxies"), text("overview.active"), number(counts.active + counts.expiring))}
        ${tile(
          visit.pathTo("wallet"),
          text("desk.balance"),
          usd(visit.balance),
          html`<a href="${visit.pathTo("wallet/top-up")}">${text("desk.top_up")}</a>`
        )}
        ${tile(
          `${visit.pathTo("proxies")}?proxy_status=expiring`,
          text("overview.expiring"),
          number(counts.expiring),
          text("overview.expiring_about")
        )}
        ${traffic !== undefined && tile("#traffic", text("overview.traffic"), gigabytes(traffic.summary.total_used_gb))}
      </div>
      ${usage(traffic)}`
  )
}
