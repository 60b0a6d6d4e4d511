import { field, select } from "../../pages/Field.ts"
import { moment, money } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { paging, type Part } from "../../pages/Paging.ts"
import { table } from "../../pages/Table.ts"
import type { Currency } from "../../platform/Money.ts"
import type { Deposit } from "../../wallet/payments/Deposit.ts"
import type { Payout } from "../../wallet/payouts/Payout.ts"
import type { TransactionFilter } from "../../wallet/TransactionFilter.ts"
import type { Wallet } from "../../wallet/Wallet.ts"
import { TransactionType, type WalletTransaction } from "../../wallet/WalletTransaction.ts"
import { currencyText } from "../desk/CurrencyText.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { methodText } from "../desk/MethodText.ts"
import type { Visit } from "../desk/Visit.ts"
import { entryText } from "./EntryText.ts"
import { queryOf } from "./TransactionFilters.ts"

export interface WalletOverview {
  readonly wallets: ReadonlyArray<Pick<Wallet, "currency" | "balance">>
  /** The currencies in which the wallet can be topped up. */
  readonly payable: ReadonlyArray<Currency>
  /** True when a saved card can top up the wallet by itself. */
  readonly hasAutoTopUp: boolean
  /** The withdrawal that waits for staff. */
  readonly payout: Payout | undefined
  readonly arePayoutsOffered: boolean
  /** The deposits that wait for their payment. */
  readonly open: ReadonlyArray<Deposit>
  /** The payments that are neither paid nor ended, by the id of their entry. */
  readonly waiting: ReadonlyMap<string, string>
  readonly filter: TransactionFilter
  readonly transactions: ReadonlyArray<WalletTransaction>
  readonly part: Part
}

const typeText = {
  deposit: text("wallet.deposit"),
  payment: text("wallet.payment"),
  refund: text("wallet.refund"),
  withdrawal: text("wallet.withdrawal")
} satisfies Record<typeof TransactionType.Type, Phrase>

const isMethod = (method: string | null): method is keyof typeof methodText =>
  method !== null && Object.hasOwn(methodText, method)

const balances = ({ pathTo }: Visit, { payable, wallets }: WalletOverview): Html =>
  html`<div class="tiles">
    ${wallets.map(
      ({ balance, currency }) =>
        html`<section class="card tile">
          <h2>${currencyText[currency]}</h2>
          <p class="figure">${money(currency, balance)}</p>
          ${
            payable.includes(currency) &&
            html`<p>
              <a href="${pathTo("wallet/top-up")}?currency=${currency}"
                >${currency === "USD" ? text("wallet.top_up_dollars") : text("wallet.top_up_stars")}</a
              >
            </p>`
          }
        </section>`
    )}
  </div>`

const openDeposits = ({ pathTo }: Visit, { open }: WalletOverview): Content =>
  open.length > 0 &&
  html`<section class="note" aria-labelledby="open">
    <h2 id="open">${text("wallet.open_title")}</h2>
    <ul>
      ${open.map(
        ({ amount, currency, payment_intent_id, payment_method }) =>
          html`<li>
            ${money(currency, amount)}, ${methodText[payment_method]}:
            <a href="${pathTo(`payments/${payment_intent_id}`)}">${text("wallet.open_link")}</a>
          </li>`
      )}
    </ul>
  </section>`

const openPayout = ({ pathTo }: Visit, { payout }: WalletOverview): Content =>
  payout !== undefined &&
  html`<p class="note">
    ${text("wallet.payout_open", { price: money(payout.currency, payout.amount) })}
    <a href="${pathTo("wallet/payout")}">${text("wallet.payout_link")}</a>
  </p>`

/** A promo code reduces the price of an order, so it leads to the shop. */
const promoCodeForm = ({ pathTo }: Visit): Html =>
  html`<section class="card" aria-labelledby="promo">
    <h2 id="promo">${text("shop.promo_code")}</h2>
    <form class="stack" action="${pathTo("shop")}">
      ${field({ name: "promo_code", label: text("wallet.promo_code"), hint: text("wallet.promo_code_hint"), autocomplete: "off" })}
      <div><button>${text("wallet.promo_code_button")}</button></div>
    </form>
  </section>`

const filters = ({ pathTo }: Visit, { filter }: WalletOverview): Html =>
  html`<form class="filters" method="get" action="${pathTo("wallet")}">
    ${select({
      name: "transaction_type",
      label: text("wallet.type"),
      value: filter.transaction_type ?? "",
      submits: true,
      options: [
        ["", text("wallet.all_types")],
        ...TransactionType.literals.map((type) => [type, typeText[type]] as const)
      ]
    })}
    ${select({
      name: "currency",
      label: text("wallet.currency"),
      value: filter.currency,
      submits: true,
      options: [
        ["USD", currencyText.USD],
        ["STAR", currencyText.STAR]
      ]
    })}
    <button class="noscript">${text("wallet.show_button")}</button>
  </form>`

/** The state of an entry that does not count in the balance. */
const state = ({ status }: WalletTransaction): Content => {
  if (status === "pending") return html` <span class="mark unknown">${text("wallet.pending")}</span>`
  return status === "failed" && html` <span class="mark">${text("wallet.failed")}</span>`
}

/** True for an entry that credits a payment at a gateway, which has an invoice. */
const isFromOutside = ({ payment_method, status, transaction_type }: WalletTransaction) =>
  transaction_type === "deposit" && status === "completed" && isMethod(payment_method)

/** The way to a payment that an entry waits for. */
const paying = ({ pathTo }: Visit, waiting: WalletOverview["waiting"], { id }: WalletTransaction): Content => {
  const payment = waiting.get(id)
  return (
    payment !== undefined &&
    html`<small><a href="${pathTo(`payments/${payment}`)}">${text("wallet.pay_link")}</a></small>`
  )
}

const listed = (visit: Visit, { transactions, waiting }: WalletOverview): Html =>
  table<WalletTransaction>(
    [
      {
        as: "name",
        head: text("wallet.description"),
        cell: (entry) =>
          html`<b>${entryText(entry)}${state(entry)}</b>${paying(visit, waiting, entry)}${
              entry.order_id !== null &&
              html`<small
                ><a href="${visit.pathTo(`proxies/${entry.order_id}`)}">${text("wallet.order_link")}</a></small
              >`
            }${
              isFromOutside(entry) &&
              html`<small
                ><a href="${visit.pathTo(`wallet/transactions/${entry.id}/invoice`)}"
                  >${text("invoices.link")}</a
                ></small
              >`
            }`
      },
      {
        head: text("wallet.type"),
        cell: ({ payment_method, transaction_type }) =>
          html`${typeText[transaction_type]}${isMethod(payment_method) && html`, ${methodText[payment_method]}`}`
      },
      { head: text("wallet.time"), cell: ({ created_at }) => moment(created_at) },
      { as: "number", head: text("wallet.amount"), cell: ({ amount, currency }) => money(currency, amount) }
    ],
    transactions
  )

const transactionsOf = (visit: Visit, wallet: WalletOverview): Html => {
  const { filter, part, transactions } = wallet
  return html`<div id="transactions" class="stack" data-part>
    ${
      transactions.length === 0
        ? html`<p>${filter.transaction_type === undefined ? text("wallet.none") : text("wallet.none_of_type")}</p>`
        : html`${listed(visit, wallet)}
            <div class="bar">
              ${paging(part, (offset) => `${visit.pathTo("wallet")}?${queryOf(filter, offset)}`)}
              <a href="${visit.pathTo("wallet/transactions.csv")}?${queryOf(filter)}" download
                >${text("wallet.export_link")}</a
              >
            </div>`
    }
  </div>`
}

/** The money of an account, and how it came and went. */
export const walletPage = (visit: Visit, wallet: WalletOverview): Page =>
  deskPage(
    visit,
    {
      title: text("desk.wallet"),
      section: "wallet",
      actions: html`<a class="button" href="${visit.pathTo("wallet/invoices")}">${text("invoices.title")}</a>
        <a class="button" href="${visit.pathTo("wallet/referrals")}">${text("referrals.title")}</a>
        ${
          wallet.hasAutoTopUp &&
          html`<a class="button" href="${visit.pathTo("wallet/auto-top-up")}">${text("autotopup.title")}</a>`
        }
        ${
          wallet.arePayoutsOffered &&
          html`<a class="button" href="${visit.pathTo("wallet/payout")}">${text("payout.title")}</a>`
        }
        <a class="button primary" href="${visit.pathTo("wallet/top-up")}">${text("desk.top_up")}</a>`
    },
    html`${openPayout(visit, wallet)} ${openDeposits(visit, wallet)} ${balances(visit, wallet)}
      <section class="card" aria-labelledby="list">
        <h2 id="list">${text("wallet.list_title")}</h2>
        ${filters(visit, wallet)} ${transactionsOf(visit, wallet)}
      </section>
      ${promoCodeForm(visit)}`
  )
