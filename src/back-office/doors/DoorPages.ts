import { copyButton, copyLine } from "../../pages/Copying.ts"
import { alert, field, hidden, titled } from "../../pages/Field.ts"
import { type Content, html, type Phrase, text } from "../../pages/Html.ts"
import { type Page, page } from "../../pages/Layout.ts"
import { qrCode } from "../../pages/QrCode.ts"
import { roleText } from "../desk/RoleText.ts"
import type { Role } from "../../staff/Role.ts"

interface Door {
  readonly form_token: string
  readonly problem?: Phrase | undefined
}

const door = (title: Phrase, problem: Phrase | undefined, content: Content): Page =>
  page(
    titled(title, problem !== undefined),
    html`<h1>${title}</h1>
      ${alert(problem)} ${content}`
  )

/** A page that only says something, with one link. */
const said = (title: Phrase, about: Phrase, [path, label]: readonly [string, Phrase]): Page =>
  door(
    title,
    undefined,
    html`<p>${about}</p>
      <p><a class="button primary" href="${path}">${label}</a></p>`
  )

export const signInPage = ({ email, form_token, problem }: Door & { readonly email?: string | undefined }): Page =>
  door(
    text("admin.sign_in_title"),
    problem,
    html`<p class="quiet">${text("admin.sign_in_about")}</p>
      <form class="stack" method="post">
        ${hidden("form_token", form_token)}
        ${field({ name: "email", label: text("form.email"), type: "email", autocomplete: "username", value: email, autofocus: email === undefined })}
        ${field({ name: "password", label: text("form.password"), type: "password", autocomplete: "current-password", autofocus: email !== undefined })}
        <button class="primary">${text("sign_in.button")}</button>
      </form>`
  )

const codeForm = (form_token: string): Content =>
  html`<form class="stack" method="post">
    ${hidden("form_token", form_token)}
    ${field({ name: "otp", label: text("code.code"), autocomplete: "one-time-code", autofocus: true })}
    <button class="primary">${text("code.button")}</button>
  </form>`

export const codePage = ({ form_token, problem }: Door): Page =>
  door(
    text("admin.code_title"),
    problem,
    html`<p class="quiet">${text("admin.code_about")}</p>
      ${codeForm(form_token)}`
  )

/** Groups of four characters, with a gap between them that is not copied. */
const grouped = (secret: string): Content => secret.match(/.{1,4}/g)?.map((group) => html`<span>${group}</span>`)

interface Enrolment extends Door {
  readonly secret: string
  readonly otpauth_uri: string
}

/** Shows the secret to the authenticator app, and asks for its first code. */
export const enrolPage = ({ form_token, otpauth_uri, problem, secret }: Enrolment): Page =>
  door(
    text("admin.enrol_title"),
    problem,
    html`<p class="quiet">${text("admin.enrol_about")}</p>
      ${qrCode(otpauth_uri, text("security.qr"))}
      <p><a href="${otpauth_uri}">${text("security.open_link")}</a></p>
      <p>${text("security.type_secret")}</p>
      ${copyLine("secret", text("security.secret"), grouped(secret))} ${codeForm(form_token)}`
  )

/** Shows recovery codes, which no later page does. */
export const codesPage = (codes: ReadonlyArray<string>, nextPath: string): Page =>
  door(
    text("admin.codes_title"),
    undefined,
    html`<p>${text("admin.codes_about")}</p>
      <div class="example">
        <pre id="codes">${codes.join("\n")}</pre>
        ${copyButton("codes", text("admin.codes_title"))}
      </div>
      <p><a class="button primary" href="${nextPath}">${text("admin.codes_kept")}</a></p>`
  )

export const signInEnded = (signInPath: string): Page =>
  said(text("admin.expired_title"), text("admin.expired"), [signInPath, text("admin.begin_again")])

interface Invitation extends Door {
  readonly invite: { readonly name: string; readonly email: string; readonly role: Role }
  readonly fault?: Phrase | undefined
}

export const invitePage = ({ fault, form_token, invite, problem }: Invitation): Page =>
  door(
    text("admin.invite_title"),
    problem ?? fault,
    html`<p class="quiet">
        ${text("admin.invite_about", { name: html`<bdi>${invite.name}</bdi>`, role: roleText[invite.role], email: invite.email })}
      </p>
      <form class="stack" method="post">
        ${hidden("form_token", form_token)}
        ${field({ name: "password", label: text("form.new_password"), type: "password", autocomplete: "new-password", hint: text("form.password_hint"), minlength: 8, autofocus: true, error: fault })}
        <button class="primary">${text("admin.invite_button")}</button>
      </form>`
  )

export const inviteGone = (signInPath: string): Page =>
  said(text("admin.invite_gone_title"), text("admin.invite_gone"), [signInPath, text("page.sign_in")])

export const inviteDone = (signInPath: string): Page =>
  said(text("admin.invite_done_title"), text("admin.invite_done"), [signInPath, text("page.sign_in")])
