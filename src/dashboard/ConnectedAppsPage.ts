import { DateTime } from "effect"
import type { ConnectedApp } from "../oauth/ConnectedApp.ts"
import { alert, hidden } from "./Field.ts"
import { type Html, type Phrase, escaped, text } from "./Html.ts"
import { type Page, widePage } from "./Layout.ts"
import { scopeText } from "./ScopeText.ts"

interface ConnectedApps {
  readonly account: string | Phrase
  /** The path of the page that shows and changes the email. */
  readonly emailPath: string
  /** True when the account has an email that is not verified. */
  readonly isUnverified: boolean
  readonly apps: ReadonlyArray<{ readonly app: ConnectedApp; readonly revokePath: string; readonly form_token: string }>
  /** The path of the next page; undefined on the last page. */
  readonly nextPath: string | undefined
  readonly signOut: Html
  /** The result of the last request. */
  readonly notice?: Phrase | undefined
  readonly problem?: Phrase | undefined
}

const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" })

const date = (time: DateTime.Utc): Html =>
  escaped`<time datetime="${DateTime.formatIso(time)}">${day.format(DateTime.toDate(time))}</time>`

const item = ({ app, form_token, revokePath }: ConnectedApps["apps"][number]): Html => {
  const heading = `app-${app.id}`
  return escaped`<li>
    <h2 id="${heading}"><bdi>${app.client_name}</bdi></h2>
    ${
      app.is_verified
        ? escaped`<p><span class="mark good">${text("app.verified")}</span> <span class="quiet">${new URL(app.client_id).host}</span></p>`
        : escaped`<p><span class="mark unknown">${text("app.unverified")}</span></p>`
    }
    <dl>
      <dt>${text("connections.can")}</dt>
      <dd>${app.scopes.map((scope) => escaped`${scopeText[scope].inSentence}<br>`)}</dd>
      <dt>${text("connections.since")}</dt>
      <dd>${date(app.created_at)}</dd>
      <dt>${text("connections.last_used")}</dt>
      <dd>${app.last_used_at === null ? text("connections.never_used") : date(app.last_used_at)}</dd>
    </dl>
    <form method="post" action="${revokePath}">
      ${hidden("form_token", form_token)}
      <button class="bad small" aria-describedby="${heading}">${text("connections.disconnect_button")}</button>
    </form>
  </li>`
}

const none = escaped`<p>${text("connections.none")}</p>
  <p class="quiet">${text("connections.none_about")}</p>`

/** The button of the form that signs out. */
export const signOutButton = escaped`<button class="small">${text("connections.sign_out_button")}</button>`

/** Lists the connected apps of an account, with a button to disconnect each (docs/contract.md, "OAuth"). */
export const connectedAppsPage = ({
  account,
  apps,
  emailPath,
  isUnverified,
  nextPath,
  notice,
  problem,
  signOut
}: ConnectedApps): Page =>
  widePage(
    text("connections.title"),
    escaped`<h1>${text("connections.title")}</h1>
    <div class="bar">
      <p class="quiet">${text("connections.signed_in", { account })} · <a href="${emailPath}">${text("connections.email_link")}</a></p>
      ${signOut}
    </div>
    ${isUnverified ? escaped`<p>${text("connections.verify", { link: escaped`<a href="${emailPath}">${text("connections.verify_link")}</a>` })}</p>` : ""}
    ${alert(problem)}
    ${notice === undefined ? "" : escaped`<p class="done" role="status">${notice}</p>`}
    ${apps.length === 0 ? none : escaped`<ul class="apps">${apps.map(item)}</ul>`}
    ${nextPath === undefined ? "" : escaped`<p class="last"><a href="${nextPath}">${text("connections.more_link")}</a></p>`}`
  )
