import { Effect, Layer, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { AuthLimits } from "../../accounts/AuthLimits.ts"
import { CredentialChanges } from "../../accounts/CredentialChanges.ts"
import { PasskeyId, PasskeyName } from "../../accounts/Passkey.ts"
import { Passkeys } from "../../accounts/passkeys/Passkeys.ts"
import { SecondFactors } from "../../accounts/second-factor/SecondFactors.ts"
import { deviceOf } from "../../accounts/sessions/Device.ts"
import type { Faults } from "../../pages/Field.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { idInPath } from "../desk/IdInPath.ts"
import { Pages } from "../desk/Pages.ts"
import * as PasswordForm from "../desk/PasswordForm.ts"
import type { Visit } from "../desk/Visit.ts"
import { makePasskeyPage, newPasskeyPage, passkeyPage, removePasskeyPage } from "./PasskeyPages.ts"
import * as ProofForm from "./ProofForm.ts"
import { sessionOf } from "./SessionOf.ts"
import * as ShowSecurity from "./ShowSecurity.ts"

const Name = Schema.Struct({ name: Schema.Trim.pipe(Schema.decodeTo(PasskeyName)) })
const Made = Schema.Struct({ ...Name.fields, ticket: Schema.String, credential: Schema.String })

const nameMessages = { name: text("passkey.name_wrong") }
const madeMessages = { ...nameMessages, ticket: text("passkey.not_made"), credential: text("passkey.not_made") }

/** The name that a passkey of this browser has at first, such as `Firefox, Linux`. */
const firstName = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => {
  const { browser, system } = deviceOf(headers["user-agent"] ?? null)
  return [browser, system].filter((part) => part !== null).join(", ")
})

/** Adds a passkey: the password and the code, then the browser makes it. */
const adding = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const changes = yield* CredentialChanges
    const factors = yield* SecondFactors
    const limits = yield* AuthLimits
    const pages = yield* Pages
    const passkeys = yield* Passkeys
    const show = yield* ShowSecurity.make
    const path = yield* pathOf("security")

    const ask = Effect.fnUntraced(function* (visit: Visit, faults?: Faults) {
      return newPasskeyPage(visit, yield* factors.isOn(visit.user.id), faults)
    })

    const begin = Effect.fnUntraced(function* (visit: Visit, { otp, password }: ProofForm.Fields) {
      const begun = passkeys.begin(sessionOf(visit), { password, otp })
      const offer = yield* limits.confirmation(visit.session_id, begun)
      return makePasskeyPage(visit, offer, yield* firstName)
    })

    const add = Effect.fnUntraced(function* (visit: Visit, made: typeof Made.Type) {
      yield* passkeys.add(sessionOf(visit), made)
      yield* changes.caughtUp
      return redirect(`${path}?outcome=passkey-added`)
    })

    /** The browser has made the passkey for one form, so that another attempt begins anew. */
    const showFaults = (visit: Visit, faults: Faults) =>
      show(visit, { faults: { "": Object.values(faults)[0] ?? text("passkey.not_made") } })

    yield* router.add(
      "GET",
      `${path}/passkeys/new`,
      pages.show((visit) => (passkeys.isPossible ? ask(visit) : Effect.succeed(redirect(path))))
    )
    yield* router.add("POST", `${path}/passkeys/new`, pages.take({ ...ProofForm, again: ask, act: begin }))
    // A reload or another language of the page after a refusal leads on.
    yield* router.add(
      "GET",
      `${path}/passkeys`,
      pages.show(() => Effect.succeed(redirect(path)))
    )
    yield* router.add(
      "POST",
      `${path}/passkeys`,
      pages.take({ fields: Made, messages: madeMessages, again: showFaults, act: add })
    )
  })
)

/** Renames and removes passkeys. */
const changing = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const changes = yield* CredentialChanges
    const limits = yield* AuthLimits
    const pages = yield* Pages
    const passkeys = yield* Passkeys
    const path = yield* pathOf("security")

    const passkeyId = idInPath("passkey_id", PasskeyId)
    const found = Effect.fnUntraced(function* ({ user }: Visit) {
      return yield* passkeys.get(user.id, yield* passkeyId)
    })

    const show = Effect.fnUntraced(function* (visit: Visit, faults?: Faults, typed?: Submission) {
      return passkeyPage(visit, yield* found(visit), faults, typed?.field("name"))
    })

    const showRemoval = Effect.fnUntraced(function* (visit: Visit, faults?: Faults) {
      return removePasskeyPage(visit, yield* found(visit), faults)
    })

    const rename = Effect.fnUntraced(function* (visit: Visit, { name }: typeof Name.Type) {
      yield* passkeys.rename(visit.user.id, yield* passkeyId, name)
      return redirect(`${path}?outcome=passkey-renamed`)
    })

    const remove = Effect.fnUntraced(function* (visit: Visit, { password }: PasswordForm.Fields) {
      const removal = passkeys.remove(sessionOf(visit), yield* passkeyId, password)
      yield* limits.confirmation(visit.session_id, removal)
      yield* changes.caughtUp
      return redirect(`${path}?outcome=passkey-removed`)
    })

    yield* router.add(
      "GET",
      `${path}/passkeys/:passkey_id`,
      pages.show((visit) => show(visit))
    )
    yield* router.add(
      "POST",
      `${path}/passkeys/:passkey_id`,
      pages.take({ fields: Name, messages: nameMessages, again: show, act: rename })
    )
    yield* router.add(
      "GET",
      `${path}/passkeys/:passkey_id/remove`,
      pages.show((visit) => showRemoval(visit))
    )
    yield* router.add(
      "POST",
      `${path}/passkeys/:passkey_id/remove`,
      pages.take({ ...PasswordForm, again: showRemoval, act: remove })
    )
  })
)

/** The pages of the passkeys. */
export const layer = Layer.merge(adding, changing)
