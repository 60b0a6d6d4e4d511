import { copyLine } from "../../pages/Copying.ts"
import { number, usd } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage } from "../desk/DeskPage.ts"
import type { Visit } from "../desk/Visit.ts"

export interface ReferralsOverview {
  readonly code: string
  /** The address of the registration with the code. */
  readonly link: string
  /** The number of accounts that registered with the code. */
  readonly referred: number
  /** In micro-dollars. */
  readonly earned: bigint
  /** The shares that are held, in micro-dollars. */
  readonly pending: bigint
  readonly terms: { readonly percent: number; readonly hold_days: number }
}

const tile = (label: Phrase, value: Content, about?: Content): Html =>
  html`<section class="card tile">
    <h2>${label}</h2>
    <p class="figure">${value}</p>
    ${about !== undefined && html`<p class="quiet">${about}</p>`}
  </section>`

const rules = ({ hold_days, percent }: ReferralsOverview["terms"]): Html =>
  html`<section class="card" aria-labelledby="rules">
    <h2 id="rules">${text("referrals.rules_title")}</h2>
    <ul class="text">
      <li>${text("referrals.rule_share", { percent: number(percent) })}</li>
      <li>
        ${hold_days === 0 ? text("referrals.rule_at_once") : text("referrals.rule_held", { days: number(hold_days) })}
      </li>
      <li>${text("referrals.rule_verified")}</li>
      <li>${text("referrals.rule_one_person")}</li>
      <li>${text("referrals.rule_refund")}</li>
    </ul>
  </section>`

/** The referral link of an account, and what it has earned. */
export const referralsPage = (visit: Visit, referrals: ReferralsOverview): Page => {
  const { code, earned, link, pending, referred, terms } = referrals
  const isOn = terms.percent > 0
  return deskPage(
    visit,
    {
      title: text("referrals.title"),
      section: "wallet",
      back: [visit.pathTo("wallet"), text("desk.wallet")],
      lead: isOn ? text("referrals.about", { percent: number(terms.percent) }) : text("referrals.off")
    },
    html`${
        isOn &&
        !visit.user.email_verified &&
        html`<p class="note"><a href="${visit.pathTo("email")}">${text("referrals.verify")}</a></p>`
      }
      <section class="card" aria-labelledby="link-title">
        <h2 id="link-title">${text("referrals.link_title")}</h2>
        <dl class="copies">
          <div>
            <dt>${text("referrals.link")}</dt>
            <dd>${copyLine("link", text("referrals.link"), link)}</dd>
          </div>
          <div>
            <dt>${text("referrals.code")}</dt>
            <dd>${copyLine("code", text("referrals.code"), code)}</dd>
          </div>
        </dl>
      </section>
      <div class="tiles">
        ${tile(text("referrals.referred"), number(referred))} ${tile(text("referrals.earned"), usd(earned))}
        ${tile(text("referrals.pending"), usd(pending), text("referrals.pending_about"))}
      </div>
      ${isOn && rules(terms)}`
  )
}
