import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { AuthLimits } from "../../accounts/AuthLimits.ts"
import { CredentialChanges } from "../../accounts/CredentialChanges.ts"
import { Users } from "../../accounts/users/Users.ts"
import { Orders } from "../../orders/Orders.ts"
import type { Faults } from "../../pages/Field.ts"
import { makeAnswer } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { Visitors } from "../../pages/Visitors.ts"
import { Wallets } from "../../wallet/Wallets.ts"
import { Pages } from "../desk/Pages.ts"
import * as PasswordForm from "../desk/PasswordForm.ts"
import type { Visit } from "../desk/Visit.ts"
import { accountDeleted, deletionPage } from "./DeletionPage.ts"

/** The page on which a person deletes the account. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const changes = yield* CredentialChanges
    const limits = yield* AuthLimits
    const orders = yield* Orders
    const pages = yield* Pages
    const users = yield* Users
    const visitors = yield* Visitors
    const wallets = yield* Wallets
    const path = yield* pathOf("account/deletion")

    const show = Effect.fnUntraced(function* (visit: Visit, faults: Faults = {}) {
      const { active, expiring } = yield* orders.counts(visit.user.id, {})
      return deletionPage(visit, { wallets: yield* wallets.list(visit.user.id), proxies: active + expiring, faults })
    })

    const remove = Effect.fnUntraced(function* (visit: Visit, { password }: PasswordForm.Fields) {
      yield* limits.session("password", visit.session_id)
      yield* users.remove(visit.user.id, password)
      yield* changes.caughtUp
      return visitors.signOut(yield* answer(200, accountDeleted(visit.pathTo("register"))))
    })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("POST", path, pages.take({ ...PasswordForm, again: show, act: remove }))
  })
)
