import { DateTime } from "effect"
import type { ConnectedApp } from "../oauth/ConnectedApp.ts"
import { alert, hidden } from "./Field.ts"
import { type Html, escaped } from "./Html.ts"
import { widePage } from "./Layout.ts"
import { lowered, scopeText } from "./ScopeText.ts"

interface ConnectedApps {
  readonly account: string
  readonly apps: ReadonlyArray<{ readonly app: ConnectedApp; readonly revokePath: string; readonly form_token: string }>
  /** Where the next ones are, when there are more. */
  readonly nextPath: string | undefined
  readonly signOut: Html
  /** What came of what was asked for. */
  readonly notice?: string | undefined
  readonly problem?: string | undefined
}

const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" })

const shown = (time: DateTime.Utc): Html =>
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
      <dd>${shown(app.created_at)}</dd>
      <dt>Last used</dt>
      <dd>${app.last_used_at === null ? "not yet" : shown(app.last_used_at)}</dd>
    </dl>
    <form method="post" action="${revokePath}">
      ${hidden("form_token", form_token)}
      <button class="bad small" aria-describedby="${heading}">Disconnect</button>
    </form>
  </li>`
}

const none = escaped`<p>No app is connected to your account.</p>
  <p class="quiet">When you approve one, it is listed here, and you can end its access.</p>`

/** Of the form that signs out. */
export const signOutButton = escaped`<button class="small">Sign out</button>`

/** Connected apps: what acts for the account, and how to end it (specification section 5.2, revocation). */
export const connectedAppsPage = (shown: ConnectedApps): Html =>
  widePage(
    "Connected apps",
    escaped`<h1>Connected apps</h1>
    <div class="bar">
      <p class="quiet">Signed in as ${shown.account}</p>
      ${shown.signOut}
    </div>
    ${alert(shown.problem)}
    ${shown.notice === undefined ? "" : escaped`<p class="done" role="status">${shown.notice}</p>`}
    ${shown.apps.length === 0 ? none : escaped`<ul class="apps">${shown.apps.map(item)}</ul>`}
    ${shown.nextPath === undefined ? "" : escaped`<p class="last"><a href="${shown.nextPath}">More apps</a></p>`}`
  )
