import type { Notification } from "../../notifications/Notification.ts"
import { moment } from "../../pages/Format.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { paging, type Part } from "../../pages/Paging.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { noticeLink } from "../desk/NoticeLink.ts"
import type { Visit } from "../desk/Visit.ts"

export interface Listed {
  readonly notifications: ReadonlyArray<Notification>
  readonly part: Part
  readonly onlyUnread: boolean
  readonly notice: Content
}

const item = (visit: Visit, notice: Notification): Html => {
  const { form, pathTo } = visit
  const { created_at, id, message, read_at } = notice
  return html`<li class="card stack">
    <p>${read_at === null && html`<span class="mark unknown">${text("notifications.new")}</span> `}${message}</p>
    <p>${noticeLink(visit, notice)}</p>
    <div class="bar">
      <small>${moment(created_at)}</small>
      ${
        read_at === null &&
        form(
          pathTo(`notifications/${id}/read`),
          html`<button class="small" aria-label="${text("notifications.read_label", { message })}">
            ${text("notifications.read_button")}
          </button>`
        )
      }
    </div>
  </li>`
}

const tab = (href: string, label: Content, isCurrent: boolean): Html =>
  html`<a href="${href}" ${isCurrent && html` aria-current="page"`}>${label}</a>`

/** The notifications of an account, newest first. */
export const notificationsPage = (visit: Visit, { notice, notifications, onlyUnread, part }: Listed): Page => {
  const path = visit.pathTo("notifications")
  return deskPage(
    visit,
    {
      title: text("desk.notifications"),
      section: "notifications",
      notice,
      actions:
        visit.unread > 0 &&
        visit.form(visit.pathTo("notifications/read"), html`<button>${text("notifications.read_all_button")}</button>`)
    },
    html`<div>
      <nav class="tabs" aria-label="${text("notifications.filter")}">
        ${tab(path, text("notifications.all"), !onlyUnread)}
        ${tab(`${path}?unread=true`, html`${text("notifications.unread")} <span>${visit.unread}</span>`, onlyUnread)}
      </nav>
      ${
        notifications.length === 0
          ? html`<p class="card">${text("notifications.none")}</p>`
          : html`<ul class="stack">
              ${notifications.map((one) => item(visit, one))}
            </ul>`
      }
      ${paging(part, (offset) => `${path}?${onlyUnread ? "unread=true&" : ""}offset=${offset}`)}
    </div>`
  )
}
