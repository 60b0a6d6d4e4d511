import { DateTime } from "effect"
import { isLive } from "../../orders/OrderStatus.ts"
import { schemeOf } from "../../orders/ProxyAddress.ts"
import { chart } from "../../pages/Chart.ts"
import { codeExamples } from "../../pages/CodeExamples.ts"
import { copyLine } from "../../pages/Copying.ts"
import { country, gigabytes, hour, money, shortDay } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { kindName, plainName } from "../desk/ProxyText.ts"
import type { Visit } from "../desk/Visit.ts"
import { paymentCard } from "../payments/PaymentCard.ts"
import { accessCard, mobileCard } from "./AccessCards.ts"
import { cycleCard } from "./CycleCard.ts"
import { destinationCard } from "./DestinationCard.ts"
import { historyCard, testCard } from "./HistoryCards.ts"
import { isTyping, labelsCard, labelsLink, releaseCard } from "./LabelCards.ts"
import { addressOf, badge, ends, isUnpaid, wasNeverPaid } from "./ProxyWords.ts"
import { refusalCard } from "./RefusalCard.ts"
import type { Shown } from "./Shown.ts"

const periods = [
  ["last_24h", text("proxies.last_24h")],
  ["last_7d", text("proxies.last_7d")],
  ["last_30d", text("proxies.last_30d")]
] as const

const credential = (id: string, label: Phrase, value: string | number): Html =>
  html`<div class="field">
    <dt class="hint">${label}</dt>
    <dd>${copyLine(id, label, value)}</dd>
  </div>`

/** Programs for a proxy. With SOCKS5 they need other packages, and `socks5h` lets the proxy resolve names. */
const examplesOf = (url: string, probe: string): ReadonlyArray<readonly [name: string, code: string]> => {
  const isSocks = url.startsWith("socks5:")
  const resolving = url.replace(/^socks5:/, "socks5h:")
  const agent = isSocks ? "Socks5ProxyAgent" : "ProxyAgent"
  return [
    ["curl", `curl -x '${resolving}' ${probe}`],
    [
      "Node.js",
      `// npm install undici\nimport { ${agent}, fetch } from "undici"\n\nconst dispatcher = new ${agent}("${url}")\nconst answer = await fetch("${probe}", { dispatcher })\nconsole.log(await answer.text())`
    ],
    [
      "Python",
      `# pip install ${isSocks ? '"requests[socks]"' : "requests"}\nimport requests\n\nproxies = {"http": "${resolving}", "https": "${resolving}"}\nprint(requests.get("${probe}", proxies=proxies).text)`
    ]
  ]
}

const connecting = ({ order, probe }: Shown): Content => {
  const { host, password, port, username } = order
  const url = addressOf(order)
  if (!isLive(order.proxy_status) || url === undefined) return undefined
  return html`<section class="card stack" aria-labelledby="connect">
    <h2 id="connect">${text("proxies.connect")}</h2>
    <dl class="copies">
      ${credential("host", text("proxies.host"), host ?? "")} ${credential("port", text("proxies.port"), port ?? "")}
      ${credential("username", text("proxies.login"), username ?? "")}
      ${credential("password", text("proxies.password"), password ?? "")}
      ${credential("url", text("proxies.in_one"), url)}
    </dl>
    ${codeExamples(
      "code",
      examplesOf(url, probe).map(([name, code]) => ({ name, code }))
    )}
    <details name="code">
      <summary>${text("proxies.browsers")}</summary>
      <p>${text("proxies.browsers_about", { protocol: schemeOf(order).toUpperCase() })}</p>
    </details>
  </section>`
}

/** The use of a period. The chart of a running proxy follows its use. */
const used = (path: string, { order, period, usage }: Shown): Html => {
  const isRunning = order.proxy_status === "active"
  const title = periods.find(([key]) => key === period)?.[1] ?? ""
  return html`<section class="card stack" id="used" aria-labelledby="traffic" data-part>
    <div class="bar">
      <h2 id="traffic">${text("proxies.traffic_title")}</h2>
      <nav class="segments" aria-label="${text("proxies.period")}">
        ${periods.map(
          ([key, label]) =>
            html`<a href="${path}?period=${key}#traffic" ${key === period && html` aria-current="page"`}>${label}</a>`
        )}
      </nav>
    </div>
    <div id="use" ${isRunning && html` data-live="60"`}>
      ${
        usage === undefined
          ? html`<p>${text("overview.traffic_missing")}</p>`
          : chart({
              title: text("proxies.chart", { period: title }),
              points: usage.points.map(({ timestamp, used_delta_gb }) => ({
                at: DateTime.makeUnsafe(timestamp),
                value: used_delta_gb
              })),
              valueText: gigabytes,
              timeText: period === "last_24h" ? hour : shortDay
            })
      }
    </div>
  </section>`
}

const unpaidCard = (visit: Visit, path: string, { order, payment }: Shown): Content =>
  isUnpaid(order) &&
  payment !== undefined &&
  paymentCard(visit, { ...payment, amount: money(payment.currency, payment.amount), cancelPath: `${path}/cancel` })

const isWaiting = ({ order }: Shown) =>
  isUnpaid(order) || order.status === "paid" || order.status === "provisioning_failed"

/** One proxy: how to use it, what it used, and what changes it. */
export const proxyPage = (visit: Visit, shown: Shown): Page => {
  const { faults, notice, order } = shown
  const path = visit.pathTo(`proxies/${order.id}`)
  const waits = isWaiting(shown)
  // A page that loads again by itself would lose what a person types.
  const reloads = waits && !isTyping(visit, shown)
  return deskPage(
    visit,
    {
      title: plainName(order),
      section: "proxies",
      back: [visit.pathTo("proxies"), text("desk.proxies")],
      lead: html`${badge(order)} ${kindName(order)} ·
      ${order.city !== null && html`${order.city}, `}${country(
        order.country
      )}${order.expires_at !== null && html` · ${ends(order, visit.now)}`}`,
      notice,
      reloadSeconds: reloads ? 3 : undefined,
      ...(faults !== undefined && { faults })
    },
    html`<div class="split" id="proxy" ${reloads && html` data-live="2"`}>
      <div class="stack">
        ${unpaidCard(visit, path, shown)}
        ${waits && !isUnpaid(order) && html`<p class="note" role="status">${text("proxies.waiting")}</p>`}
        ${connecting(shown)} ${testCard(visit, path, shown)} ${!wasNeverPaid(order) && used(path, shown)}
        ${refusalCard(shown)} ${historyCard(path, shown)}
      </div>
      <div class="stack">
        ${cycleCard(visit, path, shown)} ${mobileCard(visit, path, shown)} ${accessCard(visit, path, shown)}
        ${destinationCard(visit, path, shown)} ${reloads ? labelsLink(path, shown) : labelsCard(visit, path, shown)}
        ${releaseCard(path, shown)}
      </div>
    </div>`
  )
}
