import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { Name } from "../../accounts/User.ts"
import { Users } from "../../accounts/users/Users.ts"
import type { Faults } from "../../pages/Field.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { accountPage } from "./AccountPage.ts"

/** An empty field removes the name. */
const Profile = Schema.Struct({ name: Schema.optionalKey(Name) })

const messages = { name: text("account.name_wrong") } as const

const show = (visit: Visit) => {
  const notice = visit.query.get("outcome") === "named" ? text("account.name_saved") : undefined
  return Effect.succeed(accountPage(visit, { notice, name: visit.user.name ?? "" }))
}

const again = (visit: Visit, faults: Faults, typed: Submission) =>
  Effect.succeed(accountPage(visit, { faults, name: typed.field("name") ?? "" }))

/** The first page of the account: the profile, and the way to everything else. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const pages = yield* Pages
    const path = yield* pathOf("account")
    const users = yield* Users

    const rename = Effect.fnUntraced(function* ({ user }: Visit, { name = null }: { readonly name?: string | null }) {
      yield* users.update(user.id, { name })
      return redirect(`${path}?outcome=named`)
    })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("POST", path, pages.take({ fields: Profile, messages, again, act: rename }))
  })
)
