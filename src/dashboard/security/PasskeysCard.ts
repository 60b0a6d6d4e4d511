import type { Passkey } from "../../accounts/Passkey.ts"
import { date, until } from "../../pages/Format.ts"
import { type Html, html, text } from "../../pages/Html.ts"
import { table } from "../../pages/Table.ts"
import type { Visit } from "../desk/Visit.ts"

export interface Passkeys {
  /** False when browsers have no passkeys for the address of the service. */
  readonly isPossible: boolean
  readonly passkeys: ReadonlyArray<Passkey>
}

const listed = ({ now, pathTo }: Visit, passkeys: ReadonlyArray<Passkey>): Html =>
  table<Passkey>(
    [
      {
        as: "name",
        head: text("passkey.name"),
        cell: ({ name, refused_at }) =>
          html`<b><bdi>${name}</bdi></b>
            ${refused_at !== null && html`<span class="mark bad">${text("passkey.copied")}</span>`}`
      },
      {
        head: text("passkey.created"),
        label: text("passkey.created"),
        cell: ({ created_at }) => date(created_at)
      },
      {
        head: text("passkey.last_used"),
        label: text("passkey.last_used"),
        cell: ({ last_used_at }) => (last_used_at === null ? text("passkey.never") : until(last_used_at, now))
      },
      {
        head: text("passkey.kept"),
        label: text("passkey.kept"),
        cell: ({ is_synced }) => (is_synced ? text("passkey.synced") : text("passkey.not_synced"))
      },
      {
        as: "go",
        head: html`<span class="hidden">${text("desk.actions")}</span>`,
        cell: ({ id, name }) =>
          html`<a class="button small" href="${pathTo(`security/passkeys/${id}`)}"
            >${text("passkey.change_link")}<span class="hidden"> ${name}</span></a
          >`
      }
    ],
    passkeys
  )

const adding = ({ pathTo, user }: Visit, isPossible: boolean): Html => {
  if (!isPossible) return html`<p class="note">${text("passkey.not_possible")}</p>`
  return user.email_verified
    ? html`<div>
        <a class="button" href="${pathTo("security/passkeys/new")}">${text("passkey.add_link")}</a>
      </div>`
    : html`<p class="note">
        ${text("security.verify_first", { link: html`<a href="${pathTo("email")}">${text("email.title")}</a>` })}
      </p>`
}

/** Lists the passkeys of an account, and leads to adding one. */
export const passkeysCard = (visit: Visit, { isPossible, passkeys }: Passkeys): Html =>
  html`<section class="card stack" aria-labelledby="passkeys">
    <h2 id="passkeys">${text("passkey.title")}</h2>
    <p>${text("passkey.about")}</p>
    ${passkeys.length > 0 && listed(visit, passkeys)} ${adding(visit, isPossible)}
  </section>`
