import type { IpCheck } from "../../ip-check/IpCheck.ts"
import type { IpCheckView } from "../../ip-check/IpCheckView.ts"
import type { Survey } from "../../ip-check/IpSurvey.ts"
import { field, type Faults, hidden } from "../../pages/Field.ts"
import { number, until, usd } from "../../pages/Format.ts"
import { type Content, counted, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { paging, type Part } from "../../pages/Paging.ts"
import { table } from "../../pages/Table.ts"
import { deskPage } from "../desk/DeskPage.ts"
import type { Visit } from "../desk/Visit.ts"
import { verdictMark } from "./IpCheckText.ts"
import { resultCards } from "./ResultCards.ts"
import { surveyCards } from "./SurveyCards.ts"

export interface IpCheckPage {
  readonly checks: ReadonlyArray<IpCheck>
  readonly part: Part
  /** `price` is in micro-dollars. */
  readonly quota: {
    readonly entitled: number
    readonly used: number
    readonly free_available: number
    readonly price: bigint
  }
  /** Makes a form that is sent twice check once. */
  readonly nonce: string
  readonly survey?: Survey | undefined
  /** A recent result, perhaps of another account, which the account's own checks do not contain. */
  readonly reused?: IpCheckView
  /** True when at least one blocklist is loaded now. */
  readonly hasBlocklists: boolean
  readonly ip?: string | undefined
  readonly faults?: Faults
}

/** The buttons say what they cost, and the form carries it, so that a check never costs more. */
const buttons = ({ free_available, price }: IpCheckPage["quota"]): Html =>
  html`${hidden("promised", String(free_available > 0 ? 0n : price))}
    <div class="row" id="what">
      <button name="what" value="survey">${text("ip_check.survey_button")}</button>
      <button class="primary" name="what" value="check">
        ${
          free_available > 0
            ? counted("ip_check.free_button", free_available)
            : text("ip_check.check_button", { price: usd(price) })
        }
      </button>
    </div>`

const asking = ({ balance, form, pathTo }: Visit, { faults = {}, ip, nonce, quota }: IpCheckPage): Html => {
  const { entitled, free_available, price, used } = quota
  return html`<section class="card stack" aria-labelledby="ask">
    <h2 id="ask">${text("ip_check.form_title")}</h2>
    ${form(
      pathTo("ip-check"),
      html`${hidden("nonce", nonce)}
      ${field({
        name: "ip",
        label: text("ip_check.ip"),
        hint: text("ip_check.ip_hint"),
        autocomplete: "off",
        more: html` spellcheck="false"`,
        value: ip,
        error: faults["ip"]
      })}
      ${buttons(quota)}`,
      { class: "stack" }
    )}
    <p class="quiet">${text("ip_check.explained")}</p>
    <p class="quiet">
      ${text("ip_check.quota", { used: number(used), entitled: number(entitled), price: usd(price) })}
      ${
        free_available === 0 &&
        balance < price &&
        html`${text("ip_check.too_little")} <a href="${pathTo("wallet/top-up")}">${text("ip_check.top_up_link")}</a>`
      }
    </p>
  </section>`
}

const history = ({ now, pathTo }: Visit, checks: ReadonlyArray<IpCheck>): Html =>
  table<IpCheck>(
    [
      {
        as: "name",
        head: text("ip_check.address"),
        cell: ({ id, ip }) => html`<a href="${pathTo(`ip-check/${id}`)}">${ip}</a>`
      },
      {
        head: text("ip_check.verdict"),
        label: text("ip_check.verdict"),
        cell: ({ partial, verdict }) =>
          html`${verdictMark(verdict)}${partial && html` <small>${text("ip_check.incomplete")}</small>`}`
      },
      {
        head: text("ip_check.score"),
        label: text("ip_check.score"),
        cell: ({ risk_score }) => text("ip_check.of_100", { score: risk_score })
      },
      {
        head: text("ip_check.cost"),
        label: text("ip_check.cost"),
        cell: ({ amount, is_free }) => (is_free ? text("ip_check.free") : usd(amount))
      },
      {
        head: text("ip_check.checked"),
        label: text("ip_check.checked"),
        cell: ({ created_at }) => until(created_at, now)
      }
    ],
    checks
  )

const found = (visit: Visit, { hasBlocklists, reused, survey }: IpCheckPage): Content => {
  if (reused !== undefined)
    return resultCards(reused, {
      facts: html`<dt>${text("ip_check.cost")}</dt>
        <dd>${text("ip_check.cost_reused")}</dd>`,
      hasBlocklists
    })
  return survey !== undefined && surveyCards(visit, survey)
}

/** The form that asks about an address, its result, and the checks of the account. */
export const ipCheckPage = (visit: Visit, page: IpCheckPage): Page => {
  const path = visit.pathTo("ip-check")
  return deskPage(
    visit,
    {
      title: text("desk.ip_check"),
      section: "ip-check",
      lead: text("ip_check.about"),
      ...(page.faults !== undefined && { faults: page.faults })
    },
    html`${visit.hasIpChecks ? asking(visit, page) : html`<p class="note">${text("ip_check.off")}</p>`}
      ${found(visit, page)}
      <section class="card" aria-labelledby="history">
        <h2 id="history">${text("ip_check.history_title")}</h2>
        ${page.checks.length === 0 ? html`<p>${text("ip_check.history_none")}</p>` : history(visit, page.checks)}
        ${paging(page.part, (offset) => `${path}?offset=${offset}#history`)}
      </section>`
  )
}

/** One check of the account. */
export const checkPage = (visit: Visit, check: IpCheck, hasBlocklists: boolean): Page => {
  const path = visit.pathTo("ip-check")
  const cost = check.is_free ? text("ip_check.cost_free") : usd(check.amount)
  return deskPage(
    visit,
    { title: html`${check.ip}`, section: "ip-check", back: [path, text("desk.ip_check")] },
    html`${resultCards(check, {
      facts: html`<dt>${text("ip_check.cost")}</dt>
        <dd>${cost}</dd>
        <dt>${text("ip_check.checked")}</dt>
        <dd>${until(check.created_at, visit.now)}</dd>`,
      hasBlocklists
    })}
    ${
      visit.hasIpChecks &&
      html`<p>
        <a href="${path}?${new URLSearchParams({ ip: check.ip }).toString()}">${text("ip_check.survey_link")}</a>
      </p>`
    }`
  )
}
