import { field, type Faults } from "../../pages/Field.ts"
import { money, number } from "../../pages/Format.ts"
import { type Html, html, text } from "../../pages/Html.ts"
import { type Page, page } from "../../pages/Layout.ts"
import type { Wallet } from "../../wallet/Wallet.ts"
import { deskPage } from "../desk/DeskPage.ts"
import type { Visit } from "../desk/Visit.ts"

interface Lost {
  readonly wallets: ReadonlyArray<Pick<Wallet, "currency" | "balance">>
  /** The number of proxies that work. */
  readonly proxies: number
  readonly faults: Faults
}

const lost = ({ proxies, wallets }: Lost): Html =>
  html`<section class="card stack" aria-labelledby="lost">
    <h2 id="lost">${text("account_delete.lost_title")}</h2>
    <dl class="facts">
      <dt>${text("account_delete.balance")}</dt>
      <dd>
        ${wallets.map(({ balance, currency }, index) => html`${index > 0 && html`<br />`}<b>${money(currency, balance)}</b>`)}
      </dd>
      <dt>${text("account_delete.proxies")}</dt>
      <dd><b>${number(proxies)}</b></dd>
    </dl>
    <p>${text("account_delete.ends")}</p>
    <p class="quiet">${text("account_delete.kept")}</p>
  </section>`

/** What a person loses with the account, and the form that deletes it. */
export const deletionPage = (visit: Visit, account: Lost): Page =>
  deskPage(
    visit,
    {
      title: text("account_delete.title"),
      section: "account",
      lead: text("account_delete.about"),
      back: [visit.pathTo("account"), text("account.title")],
      faults: account.faults
    },
    html`${lost(account)}
      <section class="card" aria-labelledby="confirm">
        <h2 id="confirm">${text("account_delete.confirm_title")}</h2>
        ${visit.form(
          visit.pathTo("account/deletion"),
          html`${field({
              name: "password",
              label: text("form.password"),
              type: "password",
              autocomplete: "current-password",
              error: account.faults["password"]
            })}
            <div><button class="danger">${text("account_delete.button")}</button></div>`,
          { class: "stack" }
        )}
      </section>`
  )

export const accountDeleted = (registerPath: string): Page =>
  page(
    text("account_delete.done_title"),
    html`<h1>${text("account_delete.done")}</h1>
      <p role="status">${text("account_delete.done_about")}</p>
      <p><a href="${registerPath}">${text("register.title")}</a></p>`
  )
