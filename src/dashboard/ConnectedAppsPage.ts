import { DateTime } from "effect"
import type { ConnectedApp } from "../oauth/ConnectedApp.ts"
import { alert, hidden } from "./Field.ts"
import { type Html, escaped } from "./Html.ts"
import { type Page, widePage } from "./Layout.ts"
import { lowered, scopeText } from "./ScopeText.ts"

interface ConnectedApps {
  readonly account: string
  /** The path of the page that shows and changes the email. */
  readonly emailPath: string
  /** True when the account has an email that is not verified. */
  readonly isUnverified: boolean
  readonly apps: ReadonlyArray<{ readonly app: ConnectedApp; readonly revokePath: string; readonly form_token: string }>
  /** The path of the next page; undefined on the last page. */
  readonly nextPath: string | undefined
  readonly signOut: Html
  /** The result of the last request. */
  readonly notice?: string | undefined
  readonly problem?: string | undefined
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
        ? escaped`<p><span class="mark good">Verified</span> <span class="quiet">${new URL(app.client_id).host}</span></p>`
        : escaped`<p><span class="mark unknown">Not verified</span></p>`
    }
    <dl>
      <dt>It can</dt>
      <dd>${app.scopes.map((scope) => escaped`${lowered(scopeText[scope].title)}<br>`)}</dd>
      <dt>Connected since</dt>
      <dd>${date(app.created_at)}</dd>
      <dt>Last used</dt>
      <dd>${app.last_used_at === null ? "not yet" : date(app.last_used_at)}</dd>
    </dl>
    <form method="post" action="${revokePath}">
      ${hidden("form_token", form_token)}
      <button class="bad small" aria-describedby="${heading}">Disconnect</button>
    </form>
  </li>`
}

const none = escaped`<p>No app is connected to your account.</p>
  <p class="quiet">An app that you approve appears here. You can end its access at any time.</p>`

/** The button of the form that signs out. */
export const signOutButton = escaped`<button class="small">Sign out</button>`

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
    "Connected apps",
    escaped`<h1>Connected apps</h1>
    <div class="bar">
      <p class="quiet">Signed in as ${account} · <a href="${emailPath}">Email</a></p>
      ${signOut}
    </div>
    ${isUnverified ? escaped`<p>We mailed you a link. Open it to verify <a href="${emailPath}">your email</a>.</p>` : ""}
    ${alert(problem)}
    ${notice === undefined ? "" : escaped`<p class="done" role="status">${notice}</p>`}
    ${apps.length === 0 ? none : escaped`<ul class="apps">${apps.map(item)}</ul>`}
    ${nextPath === undefined ? "" : escaped`<p class="last"><a href="${nextPath}">More apps</a></p>`}`
  )
