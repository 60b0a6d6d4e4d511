import type { SecondFactorSetup } from "../../accounts/second-factor/SecondFactorChanges.ts"
import { copyLine } from "../../pages/Copying.ts"
import { type Faults, field } from "../../pages/Field.ts"
import { type Content, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { qrCode } from "../../pages/QrCode.ts"
import { deskPage } from "../desk/DeskPage.ts"
import type { Visit } from "../desk/Visit.ts"

/** Groups of four characters, with a gap between them that is not copied. */
const grouped = (secret: string): Content => secret.match(/.{1,4}/g)?.map((group) => html`<span>${group}</span>`)

/** Shows the secret to the authenticator app, and asks for its first code. */
export const setupPage = (visit: Visit, { otpauth_uri, secret }: SecondFactorSetup, faults: Faults = {}): Page => {
  const { form, pathTo } = visit
  return deskPage(
    visit,
    {
      title: text("security.setup_title"),
      section: "security",
      back: [pathTo("security"), text("security.title")],
      faults
    },
    html`<section class="card stack" aria-labelledby="scan">
        <h2 id="scan">${text("security.scan_title")}</h2>
        <p>${text("security.scan")}</p>
        ${qrCode(otpauth_uri, text("security.qr"))}
        <p><a href="${otpauth_uri}">${text("security.open_link")}</a></p>
        <p>${text("security.type_secret")}</p>
        ${copyLine("secret", text("security.secret"), grouped(secret))}
      </section>
      <section class="card stack" aria-labelledby="confirm">
        <h2 id="confirm">${text("security.confirm_title")}</h2>
        ${form(
          pathTo("security/setup"),
          html`${field({
              name: "otp",
              label: text("code.code"),
              hint: text("security.confirm_hint"),
              autocomplete: "one-time-code",
              more: html` inputmode="numeric"`,
              error: faults["otp"]
            })}
            <div><button class="primary">${text("security.confirm_button")}</button></div>`,
          { class: "stack" }
        )}
      </section>`
  )
}
