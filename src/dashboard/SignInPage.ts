import { alert, field, hidden, titled } from "./Field.ts"
import { type Html, escaped } from "./Html.ts"
import { type Page, page } from "./Layout.ts"
import type { Waiting } from "./WaitingApps.ts"

interface SignIn {
  /** The name of the brand. */
  readonly name: string
  /** A text of the brand. */
  readonly text: ReadonlyArray<Html>
  readonly form_token: string
  readonly waiting: Waiting
  readonly forgotPath: string
  readonly email?: string | undefined
  readonly problem?: string | undefined
  /** The path of the page that mails a link to unlock signing in; absent when it is not locked. */
  readonly unlockPath?: string | undefined
}

export const signInPage = ({
  email,
  forgotPath,
  form_token,
  name,
  problem,
  text,
  unlockPath,
  waiting: { app, registerPath }
}: SignIn): Page =>
  page(
    titled(app === undefined ? "Sign in" : `Sign in to connect ${app}`, problem !== undefined),
    escaped`<h1>${app === undefined ? "Sign in" : escaped`Sign in to connect <bdi>${app}</bdi>`}</h1>
    ${alert(problem)}
    ${unlockPath === undefined ? "" : escaped`<p>Or <a href="${unlockPath}">get a link by mail</a> to sign in right away.</p>`}
    <p class="quiet">${
      app === undefined
        ? `With your ${name} account.`
        : `This app asks for access to your ${name} account. It never sees your password, and it gets no access until you approve it on the next page.`
    }</p>
    ${text}
    <form class="stack" method="post">
      ${hidden("form_token", form_token)}
      ${field({ name: "email", label: "Email", type: "email", autocomplete: "username", value: email, autofocus: email === undefined })}
      ${field({ name: "password", label: "Password", type: "password", autocomplete: "current-password", autofocus: email !== undefined })}
      <button class="primary">Sign in</button>
    </form>
    <p class="last quiet"><a href="${forgotPath}">Forgot your password?</a></p>
    <p class="quiet">No account yet? <a href="${registerPath}">Create one</a></p>`
  )
