import { type Faults, summary, titled } from "../../pages/Field.ts"
import { usd } from "../../pages/Format.ts"
import { type Content, counted, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import { type Icon, icon } from "../../pages/Icons.ts"
import type { Page } from "../../pages/Layout.ts"
import { banners } from "./Banners.ts"
import type { Visit } from "./Visit.ts"

interface Entry {
  /** The name of the page in its path; `""` is the overview. */
  readonly name: string
  readonly label: Phrase
  readonly icon: Icon
  /** Shows the entry to some accounts only. */
  readonly isShown?: (visit: Visit) => boolean
}

const entry = (name: string, label: Phrase, icon: Icon): Entry => ({ name, label, icon })

/** The menu, in sections. */
const sections: ReadonlyArray<readonly [heading: Phrase, entries: ReadonlyArray<Entry>]> = [
  [
    text("desk.section_proxies"),
    [
      entry("", text("desk.overview"), "home"),
      entry("shop", text("desk.shop"), "shop"),
      entry("proxies", text("desk.proxies"), "proxies"),
      { ...entry("ip-check", text("desk.ip_check"), "check"), isShown: ({ hasIpChecks }) => hasIpChecks }
    ]
  ],
  [
    text("desk.section_account"),
    [
      entry("wallet", text("desk.wallet"), "wallet"),
      entry("notifications", text("desk.notifications"), "bell"),
      entry("account", text("account.title"), "person"),
      entry("security", text("security.title"), "lock"),
      entry("help", text("desk.help"), "help")
    ]
  ],
  [
    text("desk.section_developers"),
    [
      entry("keys", text("desk.keys"), "key"),
      entry("webhooks", text("desk.webhooks"), "webhook"),
      entry("connections", text("desk.connections"), "apps")
    ]
  ]
]

/** The menu's entry to which a path of the dashboard belongs; undefined for a page outside the menu. */
export const entryAt = ({ pathTo }: Visit, path: string): Entry | undefined =>
  sections
    .flatMap(([, entries]) => entries)
    .find(({ name }) => name !== "" && `${path}/`.startsWith(`${pathTo(name)}/`))

const item = ({ pathTo, unread }: Visit, section: string, { icon: shape, label, name }: Entry): Html =>
  html`<li>
    <a href="${pathTo(name)}" ${name === section && html` aria-current="page"`}
      >${icon(shape)}${label}${
        name === "notifications" &&
        unread > 0 &&
        html` <span class="count" aria-label="${counted("desk.unread", unread)}">${unread}</span>`
      }</a
    >
  </li>`

const menuOf = (visit: Visit, section: string): Html =>
  html`${sections.map(
      ([heading, entries]) =>
        html`<h2>${heading}</h2>
          <ul>
            ${entries.filter(({ isShown }) => isShown?.(visit) ?? true).map((entry) => item(visit, section, entry))}
          </ul>`
    )}
    <div class="purse">
      <span>${text("desk.balance")}</span><b>${usd(visit.balance)}</b>
      <a class="button small" href="${visit.pathTo("wallet/top-up")}">${text("desk.top_up")}</a>
    </div>
    <div class="who">
      <span>${visit.user.email ?? text("page.your_account")}</span>
      ${visit.signOut}
    </div>`

interface DeskPage {
  readonly title: Content
  /** The entry of the menu to which the page belongs. */
  readonly section: string
  readonly lead?: Content
  /** The page above this one. */
  readonly back?: readonly [path: string, title: Content]
  readonly actions?: Content
  /** The result of the last request. */
  readonly notice?: Content
  readonly faults?: Faults
  readonly reloadSeconds?: number | undefined
}

/** A page of the dashboard: the menu, the heading, what happened, and the content. */
export const deskPage = (visit: Visit, page: DeskPage, content: Content): Page => {
  const { actions, back, faults = {}, lead, notice, reloadSeconds, section, title } = page
  return {
    title: titled(title, Object.keys(faults).length > 0),
    isWide: true,
    reloadSeconds,
    desk: {
      homePath: visit.pathTo(""),
      aside: html`<a class="funds" href="${visit.pathTo("wallet")}"
        ><span class="hidden">${text("desk.balance")} </span>${usd(visit.balance)}</a
      >`,
      menu: menuOf(visit, section)
    },
    content: html`${banners(visit.announcements)}
      ${back !== undefined && html`<p class="back"><a href="${back[0]}">${text("desk.back", { to: back[1] })}</a></p>`}
      <div class="heading">
        <div>
          <h1>${title}</h1>
          ${lead !== undefined && html`<p class="quiet">${lead}</p>`}
        </div>
        ${actions !== undefined && html`<div class="actions">${actions}</div>`}
      </div>
      <div class="stack">
        ${summary(faults)} ${notice !== undefined && html`<p class="done" role="status">${notice}</p>`} ${content}
      </div>`
  }
}
