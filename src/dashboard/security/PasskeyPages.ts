import type { Passkey } from "../../accounts/Passkey.ts"
import type { Offer } from "../../accounts/passkeys/PasskeyProofs.ts"
import { field, type Faults } from "../../pages/Field.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { passkeyPart } from "../../pages/PasskeyPart.ts"
import { deskPage } from "../desk/DeskPage.ts"
import type { Visit } from "../desk/Visit.ts"
import { proofPage } from "./ProofPage.ts"
import { passwordField } from "./SecurityPage.ts"

const nameField = (value: string | undefined, faults: Faults): Html =>
  field({
    name: "name",
    label: text("passkey.name"),
    hint: text("passkey.name_hint"),
    autocomplete: "off",
    value,
    error: faults["name"]
  })

interface Shown {
  readonly title: Content
  readonly lead?: Content
  readonly faults?: Faults
}

const shown = (visit: Visit, { faults = {}, lead, title }: Shown, content: Html): Page =>
  deskPage(
    visit,
    { title, lead, section: "security", back: [visit.pathTo("security"), text("security.title")], faults },
    content
  )

/** Asks for the password, and for a code of the second factor if it is on, before a passkey is made. */
export const newPasskeyPage = (visit: Visit, isGuarded: boolean, faults: Faults = {}): Page => {
  const path = "security/passkeys/new"
  const [title, about, button] = [text("passkey.new_title"), text("passkey.new_about"), text("passkey.next_button")]
  if (isGuarded) return proofPage(visit, { name: path, title, about, button, isDanger: false }, faults)
  return shown(
    visit,
    { title, lead: about, faults },
    html`<section class="card" aria-label="${title}">
      ${visit.form(
        visit.pathTo(path),
        html`${passwordField(faults)}
          <div><button class="primary">${button}</button></div>`,
        { class: "stack" }
      )}
    </section>`
  )
}

/** Makes a passkey in the browser. */
export const makePasskeyPage = (visit: Visit, offer: Offer, name: string): Page => ({
  ...shown(
    visit,
    { title: text("passkey.new_title"), lead: text("passkey.make_about") },
    html`<section class="card" aria-label="${text("passkey.new_title")}">
      <p data-without-passkey>${text("passkey.needs_browser")}</p>
      ${visit.form(
        visit.pathTo("security/passkeys"),
        passkeyPart({
          ...offer,
          does: "make",
          content: html`${nameField(name, {})}
            <div><button class="primary">${text("passkey.make_button")}</button></div>`
        })
      )}
    </section>`
  ),
  usesPasskey: true
})

/** Renames a passkey, and leads to its removal. */
export const passkeyPage = (visit: Visit, { id, name }: Passkey, faults: Faults = {}, typed = name): Page =>
  shown(
    visit,
    { title: html`<bdi>${name}</bdi>`, faults },
    html`<section class="card" aria-labelledby="rename">
        <h2 id="rename">${text("passkey.rename_title")}</h2>
        ${visit.form(
          visit.pathTo(`security/passkeys/${id}`),
          html`${nameField(typed, faults)}
            <div><button class="primary">${text("passkey.rename_button")}</button></div>`,
          { class: "stack" }
        )}
      </section>
      <section class="card stack" aria-labelledby="remove">
        <h2 id="remove">${text("passkey.remove_title")}</h2>
        <p>${text("passkey.remove_about")}</p>
        <div>
          <a class="button danger" href="${visit.pathTo(`security/passkeys/${id}/remove`)}"
            >${text("passkey.remove_link")}</a
          >
        </div>
      </section>`
  )

/** Asks for the password, before a passkey is removed. */
export const removePasskeyPage = (visit: Visit, { id, name }: Passkey, faults: Faults = {}): Page =>
  shown(
    visit,
    {
      title: text("passkey.remove_title_of", { name: html`<bdi>${name}</bdi>` }),
      lead: text("passkey.remove_about"),
      faults
    },
    html`<section class="card" aria-label="${text("passkey.remove_title")}">
      ${visit.form(
        visit.pathTo(`security/passkeys/${id}/remove`),
        html`${passwordField(faults)}
          <div><button class="danger">${text("passkey.remove_button")}</button></div>`,
        { class: "stack" }
      )}
    </section>`
  )
