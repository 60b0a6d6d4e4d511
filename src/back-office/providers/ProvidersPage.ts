import { dollars, moment, number, percent } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import { may } from "../../staff/Actor.ts"
import type { Health, ProviderState } from "../../staff/providers/ProviderState.ts"
import type { SalesPauseView } from "../../staff/providers/SalesPauseView.ts"
import type { StockedOffer } from "../../staff/providers/StockedOffer.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { kindText, pauseText } from "./PauseText.ts"

type Pause = typeof SalesPauseView.Type
type Operation = ProviderState["operations"][number]

const health = {
  good: [text("provider.good"), "good"],
  errors: [text("provider.errors"), "unknown"],
  failing: [text("provider.failing"), "bad"],
  quiet: [text("provider.quiet"), ""]
} as const satisfies Record<Health, readonly [Phrase, string]>

/** The address of the form that stops the sale of something. */
const pausePath = ({ pathTo }: AdminVisit, scope: Pause["scope"], id: string | number) =>
  `${pathTo("pause")}?${new URLSearchParams({ what: `${scope}:${id}` }).toString()}`

const pauseLink = (visit: AdminVisit, scope: Pause["scope"], id: string | number): Content =>
  may(visit.actor, "provider.pause") &&
  html`<a class="button small" href="${pausePath(visit, scope, id)}">${text("pause.link")}</a>`

const actionsHead = html`<span class="hidden">${text("desk.actions")}</span>`

const pausesCard = ({ actor, pathTo }: AdminVisit, pauses: ReadonlyArray<Pause>): Html =>
  html`<section class="card stack" aria-labelledby="pauses">
    <h2 id="pauses">${text("pause.title")}</h2>
    ${
      pauses.length === 0
        ? html`<p>${text("pause.none")}</p>`
        : table<Pause>(
            [
              {
                head: text("pause.what"),
                as: "name",
                cell: (pause) => html`<b>${pauseText(pause)}</b> <small>${pause.reason}</small>`
              },
              {
                head: text("admin.who"),
                label: text("admin.who"),
                cell: ({ placed_at, placed_by }) => html`${placed_by} <small>${moment(placed_at)}</small>`
              },
              { head: text("pause.until"), label: text("pause.until"), cell: ({ until_at }) => moment(until_at) },
              {
                head: actionsHead,
                as: "go",
                cell: ({ id }) =>
                  may(actor, "provider.pause") &&
                  html`<a class="button small" href="${pathTo(`pauses/${id}/extend`)}">${text("pause.extend_link")}</a>
                    <a class="button small" href="${pathTo(`pauses/${id}`)}">${text("pause.resume_link")}</a>`
              }
            ],
            pauses
          )
    }
  </section>`

const milliseconds = (count: number) => text("provider.milliseconds", { count: number(count) })

const operations = (items: ReadonlyArray<Operation>): Html =>
  table<Operation>(
    [
      { head: text("provider.operation"), as: "name", cell: ({ operation }) => html`<code>${operation}</code>` },
      {
        head: text("provider.calls"),
        label: text("provider.calls"),
        as: "number",
        cell: ({ calls }) => number(calls)
      },
      {
        head: text("provider.failed"),
        label: text("provider.failed"),
        as: "number",
        cell: ({ calls, failed }) =>
          failed === 0
            ? number(0)
            : text("provider.failed_share", { count: number(failed), share: percent(failed / calls) })
      },
      {
        head: text("provider.refused"),
        label: text("provider.refused"),
        as: "number",
        cell: ({ refused }) => number(refused)
      },
      {
        head: text("provider.half"),
        label: text("provider.half"),
        as: "number",
        cell: ({ p50_ms }) => milliseconds(p50_ms)
      },
      {
        head: text("provider.most"),
        label: text("provider.most"),
        as: "number",
        cell: ({ p95_ms }) => milliseconds(p95_ms)
      },
      {
        head: text("provider.failure"),
        label: text("provider.failure"),
        cell: ({ failed_at, failure }) =>
          failed_at !== null && html`${failure ?? undefined} <small>${moment(failed_at)}</small>`
      }
    ],
    items
  )

const balanceOf = ({ balance }: ProviderState): Content =>
  balance === null
    ? text("provider.balance_none")
    : html`${text("provider.balance_read", { amount: dollars(balance.usd), when: moment(balance.read_at) })}
      ${balance.is_low && html` <span class="mark bad">${text("provider.balance_low")}</span>`}`

const stockPath = ({ pathTo }: AdminVisit, name: string) => pathTo(`providers/${encodeURIComponent(name)}`)

const providerCard = (visit: AdminVisit, provider: ProviderState, index: number): Html => {
  const { name, offers } = provider
  const [word, weight] = health[provider.health]
  const { in_stock, listed, paused } = offers
  const counts = { listed: number(listed), in_stock: number(in_stock), paused: number(paused) }
  return html`<section class="card stack" aria-labelledby="provider-${index}">
    <div class="bar">
      <h2 id="provider-${index}">${name} <span class="mark ${weight}">${word}</span></h2>
      <div class="row">
        <a class="button small" href="${stockPath(visit, name)}">${text("provider.stock_link")}</a>
        ${pauseLink(visit, "provider", name)}
      </div>
    </div>
    <dl class="facts">
      <dt>${text("provider.offers")}</dt>
      <dd>${text("provider.offers_counts", counts)}</dd>
      <dt>${text("provider.balance")}</dt>
      <dd>${balanceOf(provider)}</dd>
    </dl>
    ${provider.operations.length === 0 ? html`<p>${text("provider.no_calls")}</p>` : operations(provider.operations)}
  </section>`
}

interface Shown {
  readonly providers: ReadonlyArray<ProviderState>
  readonly pauses: ReadonlyArray<Pause>
  readonly notice?: Content
}

/** The state of the providers, and the pauses that stand. */
export const providersPage = (visit: AdminVisit, { notice, pauses, providers }: Shown): Page =>
  adminPage(
    visit,
    {
      title: text("provider.title"),
      section: "providers",
      lead: text("provider.lead"),
      ...(notice !== undefined && { notice }),
      ...(may(visit.actor, "provider.pause") && {
        actions: html`<a class="button" href="${visit.pathTo("pause")}">${text("pause.link")}</a>`
      })
    },
    html`${pausesCard(visit, pauses)}
    ${providers.length === 0 ? html`<p>${text("provider.none")}</p>` : providers.map((one, index) => providerCard(visit, one, index))}`
  )

const stateOf = ({ is_available, listed, paused }: StockedOffer): Content => {
  if (paused) return html`<span class="mark bad">${text("pause.paused")}</span>`
  if (!listed) return html`<span class="mark">${text("provider.not_listed")}</span>`
  return is_available
    ? html`<span class="mark good">${text("provider.in_stock")}</span>`
    : html`<span class="mark unknown">${text("provider.sold_out")}</span>`
}

/** The offers of a provider with their stock. */
export const stockPage = (
  visit: AdminVisit,
  name: string,
  { items, next }: { readonly items: ReadonlyArray<StockedOffer>; readonly next: number | null }
): Page =>
  adminPage(
    visit,
    {
      title: name,
      section: "providers",
      back: [visit.pathTo("providers"), text("provider.title")],
      lead: text("provider.stock_lead"),
      ...(may(visit.actor, "provider.pause") && { actions: pauseLink(visit, "provider", name) })
    },
    html`${
      items.length === 0
        ? html`<p>${text("provider.stock_none")}</p>`
        : table<StockedOffer>(
            [
              {
                head: text("provider.offer"),
                as: "name",
                cell: (offer) =>
                  html`<b>${offer.name}</b>
                    <small
                      ><a href="${visit.pathTo(`shop/offers/${offer.id}`)}"><code>${offer.id}</code></a>
                      ${offer.external_id}</small
                    >`
              },
              {
                head: text("proxies.kind"),
                label: text("proxies.kind"),
                cell: ({ country_code, ip_version, kind }) => html`${kindText(kind)} ${ip_version}, ${country_code}`
              },
              { head: text("admin.state"), label: text("admin.state"), cell: stateOf },
              {
                head: text("provider.left"),
                label: text("provider.left"),
                as: "number",
                cell: ({ left }) => left !== null && number(left)
              },
              {
                head: actionsHead,
                as: "go",
                cell: ({ external_id, id, listed, paused }) =>
                  listed &&
                  !paused &&
                  (name === "gateway" ? pauseLink(visit, "article", external_id) : pauseLink(visit, "offer", id))
              }
            ],
            items
          )
    }
    ${next !== null && html`<p><a class="button small" href="${stockPath(visit, name)}?after=${next}">${text("admin.next_page")}</a></p>`}`
  )
