import type { ConnectedApp } from "../../oauth/ConnectedApp.ts"
import type { Faults } from "../../pages/Field.ts"
import { html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage } from "../desk/DeskPage.ts"
import type { Visit } from "../desk/Visit.ts"
import { limitField } from "./LimitField.ts"

interface AppLimit {
  readonly app: ConnectedApp
  readonly typed: string | undefined
  readonly faults?: Faults
}

/** The form that changes the daily limit of a connected app. */
export const appLimitPage = (visit: Visit, { app, faults, typed }: AppLimit): Page =>
  deskPage(
    visit,
    {
      title: text("connections.limit_title"),
      section: "connections",
      back: [visit.pathTo("connections"), text("connections.title")],
      lead: text("connections.limit_about", { app: html`<bdi>${app.client_name}</bdi>` }),
      ...(faults !== undefined && { faults })
    },
    html`<section class="card">
      ${visit.form(
        visit.pathTo(`connections/${app.id}/limit`),
        html`${limitField(typed, faults?.["daily_spend_limit_usd"])}
          <div><button class="primary">${text("connections.limit_save_button")}</button></div>`,
        { class: "stack" }
      )}
    </section>`
  )
