import type { ConnectedApp } from "../../oauth/ConnectedApp.ts"
import * as OAuthScope from "../../oauth/OAuthScope.ts"
import { date, usd } from "../../pages/Format.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { paging, type Part } from "../../pages/Paging.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { scopeText } from "../desk/ScopeText.ts"
import type { Visit } from "../desk/Visit.ts"

interface Listed {
  readonly apps: ReadonlyArray<ConnectedApp>
  readonly part: Part
  /** The result of the last request. */
  readonly notice: Content
}

/** The daily limit of an app that may spend, with a link to its form. */
const limit = ({ pathTo }: Visit, { daily_spend_limit_usd, id, scopes }: ConnectedApp, heading: string): Content =>
  OAuthScope.maySpend(scopes) &&
  html`<dt>${text("connections.limit")}</dt>
    <dd>
      ${daily_spend_limit_usd === null ? text("connections.no_limit") : usd(daily_spend_limit_usd)}
      <a href="${pathTo(`connections/${id}/limit`)}" aria-describedby="${heading}">${text("connections.limit_link")}</a>
    </dd>`

const item = (visit: Visit, app: ConnectedApp): Html => {
  const { form, pathTo } = visit
  const heading = `app-${app.id}`
  return html`<li class="card stack">
    <div>
      <h2 id="${heading}"><bdi>${app.client_name}</bdi></h2>
      ${
        app.is_verified
          ? html`<p>
              <span class="mark good">${text("app.verified")}</span>
              <span class="quiet">${new URL(app.client_id).host}</span>
            </p>`
          : html`<p><span class="mark unknown">${text("app.unverified")}</span></p>`
      }
    </div>
    <dl class="facts left">
      <dt>${text("connections.can")}</dt>
      <dd>${app.scopes.map((scope) => html`${scopeText[scope].inSentence}<br />`)}</dd>
      ${limit(visit, app, heading)}
      <dt>${text("connections.since")}</dt>
      <dd>${date(app.created_at)}</dd>
      <dt>${text("connections.last_used")}</dt>
      <dd>${app.last_used_at === null ? text("connections.never_used") : date(app.last_used_at)}</dd>
    </dl>
    ${form(
      pathTo(`connections/${app.id}/revoke`),
      html`<button class="danger small" aria-describedby="${heading}">${text("connections.disconnect_button")}</button>`
    )}
  </li>`
}

const none = html`<section class="card">
  <p>${text("connections.none")}</p>
  <p class="quiet">${text("connections.none_about")}</p>
</section>`

/** Lists the connected apps of an account, with its daily limit and a button to disconnect each (docs/contract.md, "OAuth"). */
export const connectedAppsPage = (visit: Visit, { apps, notice, part }: Listed): Page =>
  deskPage(
    visit,
    { title: text("connections.title"), section: "connections", notice },
    html`${
      apps.length === 0
        ? none
        : html`<ul class="stack">
            ${apps.map((app) => item(visit, app))}
          </ul>`
    }
    ${paging(part, (offset) => `${visit.pathTo("connections")}?offset=${offset}`)}`
  )
