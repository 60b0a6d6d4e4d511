import { DateTime } from "effect"
import { area, choices, field, hidden, select } from "../../pages/Field.ts"
import { country, moment, number } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import { may } from "../../staff/Actor.ts"
import type { AnnouncementView } from "../../staff/announcements/AnnouncementView.ts"
import type { NewAnnouncement } from "../../staff/announcements/NewAnnouncement.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import type { Typed } from "../desk/MoneyFields.ts"
import { shortId } from "../desk/ShortId.ts"

type Announcement = typeof AnnouncementView.Type
type Wanted = typeof NewAnnouncement.Type

interface Part<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | null
}

const kinds = {
  info: text("announce.info"),
  warning: text("announce.warning"),
  maintenance: text("announce.maintenance")
} satisfies Record<Announcement["kind"], Phrase>

const audiences = {
  all: text("announce.all"),
  provider: text("announce.provider"),
  country: text("announce.country"),
  kind: text("announce.kind_of"),
  account: text("announce.account")
} satisfies Record<Announcement["audience"], Phrase>

const proxyKinds: Readonly<Record<string, Phrase>> = {
  datacenter: text("proxy.datacenter"),
  residential: text("proxy.residential"),
  mobile: text("proxy.mobile")
}

const audienceText = (
  { pathTo }: AdminVisit,
  { audience, audience_id }: Pick<Announcement, "audience"> & { readonly audience_id?: string | null }
): Content => {
  const id = audience_id ?? ""
  if (audience === "all") return audiences.all
  if (audience === "account") return html`<a href="${pathTo(`customers/${id}`)}">${shortId(id)}</a>`
  const name: Content = audience === "country" ? country(id) : audience === "kind" ? (proxyKinds[id] ?? id) : id
  return html`${audiences[audience]}: ${name}`
}

const headOf = ({ pathTo }: AdminVisit, title: Content) => ({
  title,
  section: "announcements",
  back: [pathTo("announcements"), text("announce.title")] as const
})

const isOver = ({ now }: AdminVisit, { ended_at, ends_at }: Announcement) =>
  ended_at !== null || DateTime.isLessThanOrEqualTo(ends_at, now)

const state = (visit: AdminVisit, one: Announcement): Html => {
  if (isOver(visit, one)) return html`<span class="mark">${text("announce.over")}</span>`
  return DateTime.isGreaterThan(one.starts_at, visit.now)
    ? html`<span class="mark unknown">${text("announce.waiting")}</span>`
    : html`<span class="mark good">${text("announce.running")}</span>`
}

const mails = ({ by_mail, mails, mails_next_at }: Announcement): Content => {
  if (!by_mail) return text("admin.no")
  return mails_next_at === null ? number(mails) : text("announce.sending", { count: number(mails) })
}

/** The announcements, the newest first. */
export const announcementsPage = (visit: AdminVisit, { items, next }: Part<Announcement>): Page => {
  const { actor, pathTo } = visit
  return adminPage(
    visit,
    {
      title: text("announce.title"),
      section: "announcements",
      lead: text("announce.lead"),
      ...(may(actor, "announcement.change") && {
        actions: html`<a class="button primary" href="${pathTo("announcements/new")}">${text("announce.new_link")}</a>`
      })
    },
    html`${
      items.length === 0
        ? html`<p>${text("announce.none")}</p>`
        : table<Announcement>(
            [
              {
                head: text("announce.words"),
                as: "name",
                cell: ({ id, kind, title_en }) =>
                  html`<a href="${pathTo(`announcements/${id}`)}">${title_en}</a> <small>${kinds[kind]}</small>`
              },
              { head: text("announce.to"), label: text("announce.to"), cell: (one) => audienceText(visit, one) },
              { head: text("announce.from"), label: text("announce.from"), cell: ({ starts_at }) => moment(starts_at) },
              { head: text("announce.until"), label: text("announce.until"), cell: ({ ends_at }) => moment(ends_at) },
              { head: text("announce.mails"), label: text("announce.mails"), as: "number", cell: mails },
              { head: text("admin.state"), label: text("admin.state"), cell: (one) => state(visit, one) }
            ],
            items
          )
    }
    ${next !== null && html`<p><a class="button small" href="${pathTo("announcements")}?after=${next}">${text("admin.next_page")}</a></p>`}`
  )
}

const words = ({ faults = {}, field: value = () => undefined }: Typed): Html =>
  html`${field({ name: "title_en", label: text("announce.title_en"), autocomplete: "off", value: value("title_en"), error: faults["title_en"] })}
  ${area({ name: "body_en", label: text("announce.body_en"), rows: 5, value: value("body_en"), error: faults["body_en"] })}
  ${field({ name: "title_de", label: text("announce.title_de"), hint: text("announce.de_hint"), autocomplete: "off", optional: true, value: value("title_de"), error: faults["title_de"] })}
  ${area({ name: "body_de", label: text("announce.body_de"), rows: 5, optional: true, value: value("body_de"), error: faults["body_de"] })}`

/** The form of an announcement. It leads to a page that shows what customers will read, and how many get a mail. */
export const newAnnouncementPage = (
  visit: AdminVisit,
  key: string,
  typed: Typed & { ways?: ReadonlyArray<string> }
): Page => {
  const { faults = {}, field: value = () => undefined, ways = ["banner"] } = typed
  return adminPage(
    visit,
    { ...headOf(visit, text("announce.new_title")), lead: text("announce.new_about"), faults },
    html`<section class="card">
      ${visit.form(
        visit.pathTo("announcements/new"),
        html`${hidden("key", key)}
          <div class="stack">
            ${select({ name: "kind", label: text("announce.kind"), hint: text("announce.kind_hint"), value: value("kind") ?? "info", error: faults["kind"], options: Object.entries(kinds) })}
            ${words(typed)}
            <div class="two">
              ${select({ name: "audience", label: text("announce.to"), value: value("audience") ?? "all", error: faults["audience"], options: Object.entries(audiences) })}
              ${field({ name: "audience_id", label: text("announce.to_name"), hint: text("announce.to_hint"), autocomplete: "off", optional: true, value: value("audience_id"), error: faults["audience_id"] })}
            </div>
            <div class="two">
              ${field({ name: "starts_at", label: text("announce.from"), hint: text("form.time_hint"), type: "datetime-local", autocomplete: "off", value: value("starts_at"), error: faults["starts_at"] })}
              ${field({ name: "ends_at", label: text("announce.until"), hint: text("form.time_hint"), type: "datetime-local", autocomplete: "off", value: value("ends_at"), error: faults["ends_at"] })}
            </div>
            ${choices({
              name: "ways",
              type: "checkbox",
              label: text("announce.ways"),
              chosen: ways,
              error: faults["ways"],
              options: [
                { value: "banner", title: text("announce.banner"), detail: text("announce.banner_about") },
                { value: "mail", title: text("announce.mail"), detail: text("announce.mail_about") }
              ]
            })}
            <div><button class="primary">${text("announce.review_button")}</button></div>
          </div>`
      )}
    </section>`
  )
}

const preview = (title: string, body: string, language: Phrase): Html =>
  html`<section class="card stack">
    <h2>${language}</h2>
    <p><b>${title}</b></p>
    ${body.split(/\n\s*\n/).map((part) => html`<p>${part}</p>`)}
  </section>`

const facts = (
  visit: AdminVisit,
  one: Omit<Wanted, "title_de" | "body_de" | "audience_id"> & { readonly audience_id?: string | null }
): Html =>
  html`<dt>${text("announce.kind")}</dt>
    <dd>${kinds[one.kind]}</dd>
    <dt>${text("announce.to")}</dt>
    <dd>${audienceText(visit, one)}</dd>
    <dt>${text("announce.from")}</dt>
    <dd>${moment(one.starts_at)}</dd>
    <dt>${text("announce.until")}</dt>
    <dd>${moment(one.ends_at)}</dd>
    <dt>${text("announce.banner")}</dt>
    <dd>${one.by_banner ? text("admin.yes") : text("admin.no")}</dd>`

/** Shows what customers will read and how many get a mail, and asks for the confirmation. */
export const announcementReview = (
  visit: AdminVisit,
  { recipients, wanted }: { readonly wanted: Wanted; readonly recipients: number },
  fields: ReadonlyArray<readonly [name: string, value: string]>
): Page =>
  adminPage(
    visit,
    { ...headOf(visit, text("announce.review_title")), lead: text("announce.review_about") },
    html`${preview(wanted.title_en, wanted.body_en, text("announce.english"))}
      ${wanted.title_de !== undefined && preview(wanted.title_de, wanted.body_de ?? "", text("announce.german"))}
      <section class="card stack">
        <dl class="facts">
          ${facts(visit, wanted)}
          <dt>${text("announce.mails")}</dt>
          <dd><b>${wanted.by_mail ? number(recipients) : text("admin.no")}</b></dd>
        </dl>
        <div class="row">
          ${visit.form(
            visit.pathTo("announcements/new"),
            html`${fields.map(([name, value]) => hidden(name, value))}${hidden("confirmed", "yes")}
              <button class="primary">${text("announce.publish_button")}</button>`
          )}
          <a class="button" href="${visit.pathTo("announcements/new")}">${text("pause.back_button")}</a>
        </div>
      </section>`
  )

/** One announcement, and the form that ends it. */
export const announcementPage = (
  visit: AdminVisit,
  one: Announcement,
  key: string,
  { faults = {}, field: value = () => undefined, notice }: Typed & { readonly notice?: Content } = {}
): Page =>
  adminPage(
    visit,
    { ...headOf(visit, one.title_en), faults, ...(notice !== undefined && { notice }) },
    html`<section class="card stack">
        <dl class="facts">
          <dt>${text("admin.state")}</dt>
          <dd>${state(visit, one)}</dd>
          ${facts(visit, one)}
          <dt>${text("announce.mails")}</dt>
          <dd>${mails(one)}</dd>
          <dt>${text("admin.who")}</dt>
          <dd>${one.published_by}, ${moment(one.published_at)}</dd>
          ${
            one.ended_at !== null &&
            html`<dt>${text("announce.ended")}</dt>
              <dd>${one.ended_by ?? ""}, ${moment(one.ended_at)} <small>${one.end_reason ?? ""}</small></dd>`
          }
        </dl>
      </section>
      ${preview(one.title_en, one.body_en, text("announce.english"))}
      ${one.title_de !== null && preview(one.title_de, one.body_de ?? "", text("announce.german"))}
      ${
        !isOver(visit, one) &&
        may(visit.actor, "announcement.change") &&
        html`<section class="card stack" aria-labelledby="end">
          <h2 id="end">${text("announce.end_title")}</h2>
          <p>${text("announce.end_about")}</p>
          ${visit.form(
            visit.pathTo(`announcements/${one.id}`),
            html`${hidden("key", key)}
              <div class="stack">
                ${area({ name: "reason", label: text("admin.reason"), hint: text("admin.reason_hint"), value: value("reason"), error: faults["reason"] })}
                <div><button class="danger">${text("announce.end_button")}</button></div>
              </div>`
          )}
        </section>`
      }`
  )
