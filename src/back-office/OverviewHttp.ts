import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { html, text } from "../pages/Html.ts"
import { adminPage } from "./desk/AdminPage.ts"
import { AdminPages } from "./desk/AdminPages.ts"
import { roleText } from "./desk/RoleText.ts"

/** The first page of the back office, and the form that signs out. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { pathTo, show, signOut } = yield* AdminPages

    yield* router.add(
      "GET",
      pathTo(""),
      show((visit) => {
        const { name, permissions, role } = visit.actor
        return Effect.succeed(
          adminPage(
            visit,
            {
              title: text("admin.overview"),
              section: "",
              ...(role !== null && { lead: text("admin.overview_lead", { name, role: roleText[role] }) })
            },
            html`<section class="card stack" aria-labelledby="may">
              <h2 id="may">${text("admin.may_title")}</h2>
              <ul>
                ${[...(permissions ?? [])].map((permission) => html`<li><code>${permission}</code></li>`)}
              </ul>
            </section>`
          )
        )
      })
    )
    yield* router.add("POST", pathTo("sign-out"), signOut)
  })
)
