import type { SecondFactorState } from "../../accounts/second-factor/SecondFactors.ts"
import { type Faults, field } from "../../pages/Field.ts"
import { date } from "../../pages/Format.ts"
import { type Content, counted, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { type MoreLink, moreLinks } from "../desk/MoreLinks.ts"
import type { Visit } from "../desk/Visit.ts"
import { type Passkeys, passkeysCard } from "./PasskeysCard.ts"

export interface Security {
  readonly state: SecondFactorState
  readonly passkeys: Passkeys
  readonly faults?: Faults
  readonly notice?: Content
}

export const passwordField = (faults: Faults): Html =>
  field({
    name: "password",
    label: text("form.password"),
    type: "password",
    autocomplete: "current-password",
    error: faults["password"]
  })

/** Few codes are left, so that the person should get others. */
const few = 3

const isOff = ({ form, pathTo, user }: Visit, faults: Faults): Html =>
  user.email_verified
    ? html`<p>${text("security.off_about")}</p>
        ${form(
          pathTo("security"),
          html`${passwordField(faults)}
            <div><button class="primary">${text("security.begin_button")}</button></div>`,
          { class: "stack" }
        )}`
    : html`<p>${text("security.off_about")}</p>
        <p class="note">
          ${text("security.verify_first", { link: html`<a href="${pathTo("email")}">${text("email.title")}</a>` })}
        </p>`

const isOn = ({ pathTo }: Visit, enabledAt: NonNullable<SecondFactorState["enabled_at"]>, left: number): Html =>
  html`<p>${text("security.on_about", { date: date(enabledAt) })}</p>
    <p class="${left <= few && "note"}">${counted("security.codes_left", left)}</p>
    <div class="row">
      <a class="button" href="${pathTo("security/recovery-codes")}">${text("security.renew_link")}</a>
      <a class="button danger" href="${pathTo("security/turn-off")}">${text("security.turn_off_link")}</a>
    </div>`

/** The other pages about signing in: the path, the title and what one can do there. */
const others: ReadonlyArray<MoreLink> = [
  ["account/password", text("account_password.title"), text("account_password.link_about")],
  ["account/sessions", text("account_sessions.title"), text("account_sessions.link_about")]
]

/** Says whether sign-ins need a second factor, lists the passkeys, and leads to what a person can change about signing in. */
export const securityPage = (visit: Visit, { faults = {}, notice, passkeys, state }: Security): Page => {
  const { enabled_at, recovery_codes_left } = state
  return deskPage(
    visit,
    { title: text("security.title"), section: "security", lead: text("security.about"), notice, faults },
    html`<section class="card stack" aria-labelledby="second-factor">
        <h2 id="second-factor">
          ${text("security.second_factor")}
          ${
            enabled_at === null
              ? html`<span class="mark unknown">${text("security.off")}</span>`
              : html`<span class="mark good">${text("security.on")}</span>`
          }
        </h2>
        ${enabled_at === null ? isOff(visit, faults) : isOn(visit, enabled_at, recovery_codes_left)}
      </section>
      ${passkeysCard(visit, passkeys)} ${moreLinks(visit, "more", text("security.more_title"), others)}`
  )
}
