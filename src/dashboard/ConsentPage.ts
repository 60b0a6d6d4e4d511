import type { Scope } from "../accounts/Scope.ts"
import type { PendingAuthorization } from "../oauth/Authorizations.ts"
import type { OAuthClient } from "../oauth/OAuthClient.ts"
import * as OAuthScope from "../oauth/OAuthScope.ts"
import { alert, hidden, titled } from "./Field.ts"
import { type Html, escaped } from "./Html.ts"
import { type Page, page } from "./Layout.ts"
import * as RedirectTarget from "./RedirectTarget.ts"
import { lowered, scopeText } from "./ScopeText.ts"

interface Consent {
  readonly authorization: PendingAuthorization
  readonly account: string
  readonly form_token: string
  readonly signOut: Html
  readonly problem?: string | undefined
}

/** The warning about apps on the person's computer: any program there can pretend to be a verified app. */
const impostorWarning = (redirect_uri: string): string =>
  redirect_uri.startsWith("https:")
    ? ""
    : "Another program on this computer may pretend to be this app. Continue only if you started this yourself."

const standing = ({ id, is_verified }: OAuthClient, redirect_uri: string): Html =>
  is_verified
    ? escaped`<p><span class="mark good">Verified</span> This app is published by <b>${new URL(id).host}</b>.
      ${impostorWarning(redirect_uri)}</p>`
    : escaped`<p><span class="mark unknown">Not verified</span> This app registered itself. We have not checked its name.
      Continue only if you started this yourself.</p>`

const readScopes = (scopes: ReadonlyArray<Scope>): Html | string => {
  const reading = scopes.filter((scope) => scope !== OAuthScope.spending)
  if (reading.length === 0) return ""
  return escaped`<h2>It will be able to</h2>
    <ul class="scopes">${reading.map((scope) => {
      const { detail, title } = scopeText[scope]
      return escaped`<li><b>${title}</b><span>${detail}</span></li>`
    })}</ul>`
}

const spendingBox = (scopes: ReadonlyArray<Scope>): Html | string => {
  if (!scopes.includes(OAuthScope.spending)) return ""
  const { detail, title } = scopeText[OAuthScope.spending]
  return escaped`<div class="spend">
      <input type="checkbox" id="orders_write" name="orders_write" aria-describedby="orders_write-hint">
      <label for="orders_write">Also: ${lowered(title)}</label>
      <p id="orders_write-hint">${detail} Leave this unticked unless you trust the app with your money.</p>
    </div>`
}

/** Signs out, so that the person can sign in with another account. */
export const otherAccount = escaped`<button class="link">Use another account</button>`

/** The form in which a person decides about an app (docs/contract.md, "OAuth"). */
export const consentPage = ({ account, authorization, form_token, problem, signOut }: Consent): Page => {
  const { client, redirect_uri, scopes } = authorization
  return page(
    titled(`Connect ${client.name}`, problem !== undefined),
    escaped`<h1>Connect <bdi>${client.name}</bdi> to your account?</h1>
    ${alert(problem)}
    ${standing(client, redirect_uri)}
    <dl class="facts">
      <dt>Your account</dt>
      <dd>${account}</dd>
      <dt>Sends you back to</dt>
      <dd>${RedirectTarget.described(redirect_uri)}</dd>
    </dl>
    ${readScopes(scopes)}
    <form method="post">
      ${hidden("form_token", form_token)}
      ${spendingBox(scopes)}
      <button class="primary" name="decision" value="approve">Approve</button>
      <button name="decision" value="deny">Decline</button>
    </form>
    <p class="quiet last">It can never change your email or password, manage API keys or webhooks, top up your wallet or
      delete your account. You can end its access at any time under Connected apps.</p>
    <div class="last">${signOut}</div>`
  )
}
