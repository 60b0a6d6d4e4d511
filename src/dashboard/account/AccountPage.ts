import { field, type Faults } from "../../pages/Field.ts"
import { date } from "../../pages/Format.ts"
import { type Content, type Html, html, localized, text } from "../../pages/Html.ts"
import { names } from "../../brand/LanguageCode.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { type MoreLink, moreLinks } from "../desk/MoreLinks.ts"
import type { Visit } from "../desk/Visit.ts"
import { emailState } from "./EmailState.ts"

interface Account {
  /** The text of the field for the name. */
  readonly name: string
  readonly notice?: Content
  readonly faults?: Faults
}

/** The pages of the account: the path, the title and what one can do there. */
const others: ReadonlyArray<MoreLink> = [
  ["security", text("security.title"), text("security.about")],
  ["account/news", text("account_news.title"), text("account_news.link_about")],
  ["account/export", text("account_export.title"), text("account_export.link_about")],
  ["account/deletion", text("account_delete.title"), text("account_delete.link_about")]
]

const profile = ({ form, pathTo, user }: Visit, { faults = {}, name }: Account): Html =>
  html`<section class="card stack" aria-labelledby="profile">
    <h2 id="profile">${text("account.profile_title")}</h2>
    <dl class="facts left">
      <dt>${text("form.email")}</dt>
      <dd>
        ${emailState(user)}<br />
        <a href="${pathTo("email")}"
          >${user.email_verified ? text("account.email_link") : text("account.email_verify_link")}</a
        >
      </dd>
      <dt>${text("account.referral_code")}</dt>
      <dd>
        <code>${user.referral_code}</code><br />
        <a href="${pathTo("wallet/referrals")}">${text("account.referral_link")}</a>
      </dd>
      <dt>${text("account.created")}</dt>
      <dd>${date(user.created_at)}</dd>
    </dl>
    ${form(
      pathTo("account"),
      html`${field({
          name: "name",
          label: text("account.name"),
          hint: text("account.name_hint"),
          optional: true,
          autocomplete: "name",
          value: name,
          error: faults["name"]
        })}
        <div><button>${text("account.name_button")}</button></div>`,
      { class: "stack" }
    )}
  </section>`

const language = ({ pathTo, user }: Visit): Html =>
  html`<section class="card stack" aria-labelledby="language">
    <h2 id="language">${text("account.language")}</h2>
    <p>
      ${text("account.language_is", { language: localized(({ code }) => names[code]) })}
      ${text("account.language_of_mails", { language: names[user.language] })}
    </p>
    <p class="row">
      ${Object.entries(names).map(
        ([code, name]) =>
          html`<a
            class="button small"
            href="${pathTo(`language/${code}`)}?${new URLSearchParams({ next: pathTo("account") }).toString()}"
            lang="${code}"
            hreflang="${code}"
            rel="nofollow"
            >${name}</a
          >`
      )}
    </p>
  </section>`

/** The profile of a person, the language of the pages, and links to the other pages of the account. */
export const accountPage = (visit: Visit, account: Account): Page =>
  deskPage(
    visit,
    {
      title: text("account.title"),
      section: "account",
      lead: text("account.about"),
      notice: account.notice,
      ...(account.faults !== undefined && { faults: account.faults })
    },
    html`${profile(visit, account)} ${language(visit)}
    ${moreLinks(visit, "manage", text("account.manage_title"), others)}`
  )
