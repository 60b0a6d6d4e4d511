import { Effect, Layer, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { AuthLimits } from "../../accounts/AuthLimits.ts"
import { CredentialChanges } from "../../accounts/CredentialChanges.ts"
import { Otp } from "../../accounts/second-factor/Otp.ts"
import { SecondFactorChanges } from "../../accounts/second-factor/SecondFactorChanges.ts"
import { SecondFactors } from "../../accounts/second-factor/SecondFactors.ts"
import { Brand } from "../../brand/Brand.ts"
import type { Faults } from "../../pages/Field.ts"
import { type Phrase, text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import { supportLinks } from "../../pages/SupportLink.ts"
import { Pages } from "../desk/Pages.ts"
import * as PasswordForm from "../desk/PasswordForm.ts"
import type { Visit } from "../desk/Visit.ts"
import * as CodesFileHttp from "./CodesFileHttp.ts"
import { codesPage } from "./CodesPage.ts"
import { type Change, proofPage } from "./ProofPage.ts"
import * as PasskeysHttp from "./PasskeysHttp.ts"
import * as ProofForm from "./ProofForm.ts"
import type { Security } from "./SecurityPage.ts"
import { sessionOf } from "./SessionOf.ts"
import { setupPage } from "./SetupPage.ts"
import * as ShowSecurity from "./ShowSecurity.ts"

const FirstCode = Schema.Struct({ otp: Otp })
const Proof = Schema.Struct({ ...ProofForm.fields.fields, ...FirstCode.fields })

const { messages, told } = ProofForm

const renewal: Change = {
  name: "security/recovery-codes",
  title: text("security.renew_title"),
  about: text("security.renew_about"),
  button: text("security.renew_button"),
  isDanger: false
}

const turningOff: Change = {
  name: "security/turn-off",
  title: text("security.turn_off_title"),
  about: text("security.turn_off_about"),
  button: text("security.turn_off_button"),
  isDanger: true
}

/** The faults of a form whose page is gone, for the page of the state, which does not have its fields. */
const goneWith = (
  faults: Faults,
  gone: "SecondFactorNotStarted" | "SecondFactorOff" | "SecondFactorOn"
): Partial<Security> => ({
  faults: { "": faults[""] ?? text(`failure.${gone}`) }
})

/** Makes the function that shows recovery codes. */
const makeShowCodes = Effect.map(Brand, (brand) => {
  const support = supportLinks(brand)
  return (visit: Visit, codes: ReadonlyArray<string>, notice: Phrase) => codesPage(visit, { codes, notice, support })
})

/** Turns the second factor on: the password, then the secret and its first code. */
const settingUp = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const changes = yield* SecondFactorChanges
    const { caughtUp } = yield* CredentialChanges
    const factors = yield* SecondFactors
    const limits = yield* AuthLimits
    const pages = yield* Pages
    const show = yield* ShowSecurity.make
    const showCodes = yield* makeShowCodes
    const path = yield* pathOf("security")

    /** Shows the secret that this session began; the state when there is none. */
    const showSetup = Effect.fnUntraced(function* (visit: Visit, faults?: Faults) {
      const setup = yield* changes.setup(sessionOf(visit))
      if (Option.isSome(setup)) return setupPage(visit, setup.value, faults)
      return faults === undefined ? redirect(path) : yield* show(visit, goneWith(faults, "SecondFactorNotStarted"))
    })

    const begin = Effect.fnUntraced(function* (visit: Visit, { password }: PasswordForm.Fields) {
      yield* limits.session("password", visit.session_id)
      yield* changes.begin(sessionOf(visit), password)
      return redirect(`${path}/setup`)
    })

    const confirm = Effect.fnUntraced(function* (visit: Visit, { otp }: typeof FirstCode.Type) {
      const codes = yield* changes.confirm(sessionOf(visit), otp)
      yield* caughtUp
      return showCodes(visit, codes, text("security.turned_on"))
    })

    /** Another tab may have turned it on. */
    const again = Effect.fnUntraced(function* (visit: Visit, faults: Faults) {
      const isOn = yield* factors.isOn(visit.user.id)
      return yield* show(visit, isOn ? goneWith(faults, "SecondFactorOn") : { faults })
    })
    yield* router.add(
      "GET",
      path,
      pages.show((visit) => show(visit))
    )
    yield* router.add(
      "GET",
      `${path}/setup`,
      pages.show((visit) => showSetup(visit))
    )
    yield* router.add("POST", path, pages.take({ ...PasswordForm, again, act: begin }))
    // The address of the recovery codes is that of a page, so that a reload or another language leads on.
    yield* router.add(
      "POST",
      `${path}/setup`,
      pages.take({ fields: FirstCode, messages, again: showSetup, act: confirm, told })
    )
  })
)

/** Replaces the recovery codes, and turns the second factor off. */
const changing = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const changes = yield* SecondFactorChanges
    const { caughtUp } = yield* CredentialChanges
    const factors = yield* SecondFactors
    const limits = yield* AuthLimits
    const pages = yield* Pages
    const show = yield* ShowSecurity.make
    const showCodes = yield* makeShowCodes
    const path = yield* pathOf("security")

    const showProof = (change: Change) =>
      Effect.fnUntraced(function* (visit: Visit, faults?: Faults) {
        if (yield* factors.isOn(visit.user.id)) return proofPage(visit, change, faults)
        return faults === undefined ? redirect(path) : yield* show(visit, goneWith(faults, "SecondFactorOff"))
      })

    const renew = Effect.fnUntraced(function* (visit: Visit, proof: typeof Proof.Type) {
      yield* limits.session("password", visit.session_id)
      const codes = yield* changes.renewCodes(sessionOf(visit), proof)
      yield* caughtUp
      return showCodes(visit, codes, text("security.renewed"))
    })

    const turnOff = Effect.fnUntraced(function* (visit: Visit, proof: typeof Proof.Type) {
      yield* limits.session("password", visit.session_id)
      yield* changes.end(sessionOf(visit), proof)
      yield* caughtUp
      return redirect(`${path}?outcome=off`)
    })

    for (const change of [renewal, turningOff]) {
      const show = showProof(change)
      yield* router.add(
        "GET",
        yield* pathOf(change.name),
        pages.show((visit) => show(visit))
      )
    }
    const fields = { fields: Proof, messages, told }
    yield* router.add(
      "POST",
      yield* pathOf(renewal.name),
      pages.take({ ...fields, again: showProof(renewal), act: renew })
    )
    yield* router.add(
      "POST",
      yield* pathOf(turningOff.name),
      pages.take({ ...fields, again: showProof(turningOff), act: turnOff })
    )
  })
)

/** The pages of the second factor and of the passkeys. */
export const layer = Layer.mergeAll(settingUp, changing, CodesFileHttp.layer, PasskeysHttp.layer)
