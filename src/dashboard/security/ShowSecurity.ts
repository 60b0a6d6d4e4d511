import { Effect } from "effect"
import { Passkeys } from "../../accounts/passkeys/Passkeys.ts"
import { SecondFactors } from "../../accounts/second-factor/SecondFactors.ts"
import { type Phrase, text } from "../../pages/Html.ts"
import type { Visit } from "../desk/Visit.ts"
import { type Security, securityPage } from "./SecurityPage.ts"

/** The notices on the page after a request. */
const notices: ReadonlyMap<string, Phrase> = new Map([
  ["off", text("security.turned_off")],
  ["password", text("account_password.changed")],
  ["passkey-added", text("passkey.added")],
  ["passkey-renamed", text("passkey.renamed")],
  ["passkey-removed", text("passkey.removed")]
])

/** Makes the function that shows the second factor and the passkeys. */
export const make = Effect.gen(function* () {
  const factors = yield* SecondFactors
  const passkeys = yield* Passkeys

  return Effect.fnUntraced(function* (visit: Visit, more: Partial<Security> = {}) {
    const state = yield* factors.state(visit.user.id)
    const outcome = visit.query.get("outcome") ?? ""
    const isPast = outcome === "off" && state.enabled_at !== null
    return securityPage(visit, {
      state,
      passkeys: { isPossible: passkeys.isPossible, passkeys: yield* passkeys.list(visit.user.id) },
      notice: isPast ? undefined : notices.get(outcome),
      ...more
    })
  })
})
