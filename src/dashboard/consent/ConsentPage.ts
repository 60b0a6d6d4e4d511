import type { Scope } from "../../accounts/Scope.ts"
import type { PendingAuthorization } from "../../oauth/Authorizations.ts"
import type { OAuthClient } from "../../oauth/OAuthClient.ts"
import * as OAuthScope from "../../oauth/OAuthScope.ts"
import { alert, hidden, titled } from "../../pages/Field.ts"
import { type Html, type Phrase, html, text } from "../../pages/Html.ts"
import { type Page, page } from "../../pages/Layout.ts"
import { limitField } from "./LimitField.ts"
import * as RedirectTarget from "./RedirectTarget.ts"
import { scopeText } from "../desk/ScopeText.ts"

interface Consent {
  readonly authorization: PendingAuthorization
  readonly account: string | Phrase
  readonly form_token: string
  readonly signOut: Html
  readonly problem?: Phrase | undefined
  readonly spending: Spending
}

/** The box that allows spending, and the daily limit beside it. */
interface Spending {
  readonly isTicked: boolean
  readonly limit: string | undefined
  readonly limitFault?: Phrase | undefined
}

/** The warning about apps on the person's computer: any program there can pretend to be a verified app. */
const impostorWarning = (redirect_uri: string): Phrase | string =>
  redirect_uri.startsWith("https:") ? "" : text("consent.impostor")

const standing = ({ id, is_verified }: OAuthClient, redirect_uri: string): Html =>
  is_verified
    ? html`<p>
        <span class="mark good">${text("app.verified")}</span>
        ${text("consent.published_by", { host: html`<b>${new URL(id).host}</b>` })} ${impostorWarning(redirect_uri)}
      </p>`
    : html`<p><span class="mark unknown">${text("app.unverified")}</span> ${text("consent.unknown_app")}</p>`

const readScopes = (scopes: ReadonlyArray<Scope>): Html | string => {
  const reading = scopes.filter((scope) => scope !== OAuthScope.spending)
  if (reading.length === 0) return ""
  return html`<h2>${text("consent.can")}</h2>
    <ul class="scopes">
      ${reading.map((scope) => {
        const { detail, title } = scopeText[scope]
        return html`<li><b>${title}</b><span>${detail}</span></li>`
      })}
    </ul>`
}

const spendingBox = (scopes: ReadonlyArray<Scope>, { isTicked, limit, limitFault }: Spending): Html | string => {
  if (!OAuthScope.maySpend(scopes)) return ""
  const { detail, inSentence } = scopeText[OAuthScope.spending]
  const ticked = isTicked && html` checked`
  return html`<div class="spend">
    <input type="checkbox" id="orders_write" name="orders_write" aria-describedby="orders_write-hint" ${ticked} />
    <label for="orders_write">${text("consent.also", { access: inSentence })}</label>
    <p id="orders_write-hint">${text("consent.trust", { detail })}</p>
    ${limitField(limit, limitFault)}
  </div>`
}

/** Signs out, so that the person can sign in with another account. */
export const otherAccount = html`<button class="link">${text("consent.other_account_button")}</button>`

/** The form in which a person decides about an app (docs/contract.md, "OAuth"). */
export const consentPage = ({ account, authorization, form_token, problem, signOut, spending }: Consent): Page => {
  const { client, redirect_uri, scopes } = authorization
  return page(
    titled(text("consent.title", { app: client.name }), problem !== undefined),
    html`<h1>${text("consent.heading", { app: html`<bdi>${client.name}</bdi>` })}</h1>
      ${alert(problem)} ${standing(client, redirect_uri)}
      <dl class="facts">
        <dt>${text("consent.account")}</dt>
        <dd>${account}</dd>
        <dt>${text("consent.target")}</dt>
        <dd>${RedirectTarget.described(redirect_uri)}</dd>
      </dl>
      ${readScopes(scopes)}
      <form method="post">
        ${hidden("form_token", form_token)} ${spendingBox(scopes, spending)}
        <button class="primary" name="decision" value="approve">${text("consent.approve_button")}</button>
        <button name="decision" value="deny">${text("consent.decline_button")}</button>
      </form>
      <p class="quiet last">${text("consent.never")}</p>
      <div class="last">${signOut}</div>`
  )
}
