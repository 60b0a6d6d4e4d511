import type { Session } from "../../accounts/Session.ts"
import { deviceOf } from "../../accounts/sessions/Device.ts"
import { moment, until } from "../../pages/Format.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { paging, type Part } from "../../pages/Paging.ts"
import { table } from "../../pages/Table.ts"
import { deskPage } from "../desk/DeskPage.ts"
import type { Visit } from "../desk/Visit.ts"

interface Sessions {
  readonly sessions: ReadonlyArray<Session>
  readonly part: Part
  readonly notice: Content
}

/** Limit of the characters that the page shows of an unknown `User-Agent`. */
const longestShown = 60

const device = ({ user_agent }: Session): Content => {
  const { browser, system } = deviceOf(user_agent)
  if (browser !== null && system !== null) return text("account_sessions.on", { browser, system })
  return browser ?? system ?? user_agent?.slice(0, longestShown) ?? text("account_sessions.unknown")
}

const ending = ({ form, pathTo, session_id }: Visit, session: Session): Content =>
  session.id !== session_id &&
  form(
    pathTo(`account/sessions/${session.id}/end`),
    html`<button class="danger small" aria-label="${text("account_sessions.end_label", { device: device(session) })}">
      ${text("account_sessions.end_button")}
    </button>`
  )

const listed = (visit: Visit, sessions: ReadonlyArray<Session>): Html =>
  table<Session>(
    [
      {
        as: "name",
        head: text("account_sessions.device"),
        cell: (session) =>
          html`<b><bdi>${device(session)}</bdi></b> ${
              session.id === visit.session_id &&
              html`<span class="mark good">${text("account_sessions.current")}</span>`
            }`
      },
      {
        head: text("account_sessions.address"),
        label: text("account_sessions.address"),
        cell: ({ address }) =>
          address === null ? text("account_sessions.address_unknown") : html`<code>${address}</code>`
      },
      {
        head: text("account_sessions.last_used"),
        label: text("account_sessions.last_used"),
        cell: ({ last_used_at }) => until(last_used_at, visit.now)
      },
      {
        head: text("account_sessions.created"),
        label: text("account_sessions.created"),
        cell: ({ created_at }) => moment(created_at)
      },
      {
        as: "go",
        head: html`<span class="hidden">${text("desk.actions")}</span>`,
        cell: (session) => ending(visit, session)
      }
    ],
    sessions
  )

const severalTexts = {
  others: {
    title: text("account_sessions.others_title"),
    about: text("account_sessions.others_about"),
    button: text("account_sessions.others_button")
  },
  all: {
    title: text("account_sessions.all_title"),
    about: text("account_sessions.all_about"),
    button: text("account_sessions.all_button")
  }
}

const endingSeveral = ({ form, pathTo }: Visit, which: keyof typeof severalTexts): Html => {
  const { about, button, title } = severalTexts[which]
  return html`<section class="card stack" aria-labelledby="${which}">
    <h2 id="${which}">${title}</h2>
    <p>${about}</p>
    ${form(pathTo(`account/sessions/end-${which}`), html`<button class="danger">${button}</button>`)}
  </section>`
}

/** The sessions of an account, with a button that ends each, one that ends all others, and one that ends all. */
export const sessionsPage = (visit: Visit, { notice, part, sessions }: Sessions): Page =>
  deskPage(
    visit,
    {
      title: text("account_sessions.title"),
      section: "security",
      lead: text("account_sessions.about"),
      back: [visit.pathTo("security"), text("security.title")],
      notice
    },
    html`<section class="card">
        ${listed(visit, sessions)} ${paging(part, (offset) => `${visit.pathTo("account/sessions")}?offset=${offset}`)}
      </section>
      ${part.total > 1 && endingSeveral(visit, "others")} ${endingSeveral(visit, "all")}`
  )
