import { Effect, Option, Schema, SchemaGetter } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import type { Faults } from "../../pages/Field.ts"
import { Nonce } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import type { Submission } from "../../pages/Submissions.ts"
import { Line } from "../../platform/fields/Line.ts"
import { Text } from "../../platform/fields/Text.ts"
import { needs } from "../../staff/Actor.ts"
import { CustomerNotFound } from "../../staff/customers/CustomerErrors.ts"
import { BasisPoints } from "../../staff/documents/BasisPoints.ts"
import { StaffTaxes } from "../../staff/documents/StaffTaxes.ts"
import { TaxRateView } from "../../staff/documents/TaxView.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { customerInPath } from "../desk/CustomerInPath.ts"
import { taxNumberPage, taxPage } from "./TaxPage.ts"

const reason = Text(3, 500)

const { country, note, valid_from } = TaxRateView.fields

/** Reads a line; an empty one is null. */
const Note = Schema.String.pipe(
  Schema.decodeTo(note, {
    decode: SchemaGetter.transform((text) => text.trim() || null),
    encode: SchemaGetter.transform((text) => text ?? "")
  }),
  Schema.optionalKey
)

const Rate = Schema.Struct({ key: Nonce, country, rate: BasisPoints, valid_from, note: Note, reason })
const Check = Schema.Struct({
  key: Nonce,
  name: Text(1, 200),
  country,
  tax_number: Line(1, 40),
  is_right: Schema.Literals(["yes", "no"]),
  reason
})

const again = (faults: Faults, typed: Submission | undefined) => ({
  key: randomUUID(),
  faults,
  ...(typed !== undefined && { typed })
})

/** The page of the tax rates, and the form that checks a tax number. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { pathTo, show, take } = yield* AdminPages
    const taxes = yield* StaffTaxes

    const all = Effect.fnUntraced(function* (visit: AdminVisit, faults: Faults = {}, typed?: Submission) {
      const shown = { rates: yield* taxes.rates(visit.actor), numbers: yield* taxes.numbers(visit.actor) }
      return taxPage(visit, shown, again(faults, typed))
    })

    const one = Effect.fnUntraced(function* (visit: AdminVisit, faults: Faults = {}, typed?: Submission) {
      yield* needs(visit.actor, "tax.change")
      const id = yield* customerInPath
      const found = Option.getOrUndefined(yield* taxes.number(visit.actor, id)) ?? (yield* new CustomerNotFound())
      return taxNumberPage(visit, found, again(faults, typed))
    })

    const record = take({
      fields: Rate,
      messages: {
        key: text("form.not_confirmed"),
        country: text("billing.country_wrong"),
        rate: text("taxes.rate_wrong"),
        valid_from: text("taxes.valid_from_wrong"),
        note: text("taxes.note_wrong"),
        reason: text("money.reason_wrong")
      },
      again: all,
      act: Effect.fnUntraced(function* ({ actor }, { key, note, rate, reason, ...given }) {
        yield* taxes.recordRate(actor, key, { ...given, rate_bp: rate, note: note ?? null }, reason)
        return redirect(`${pathTo("taxes")}?done=recorded`)
      })
    })

    const check = take({
      fields: Check,
      messages: {
        key: text("form.not_confirmed"),
        name: text("form.not_confirmed"),
        country: text("form.not_confirmed"),
        tax_number: text("form.not_confirmed"),
        is_right: text("admin.action_wrong"),
        reason: text("money.reason_wrong")
      },
      again: one,
      act: Effect.fnUntraced(function* ({ actor }, { is_right, key, ...given }) {
        yield* taxes.checkNumber(actor, key, yield* customerInPath, { ...given, is_right: is_right === "yes" })
        return redirect(`${pathTo("taxes")}?done=checked`)
      })
    })

    yield* router.add(
      "GET",
      pathTo("taxes"),
      show((visit) => all(visit))
    )
    yield* router.add("POST", pathTo("taxes"), record)
    yield* router.add(
      "GET",
      pathTo("customers/:id/tax-number"),
      show((visit) => one(visit))
    )
    yield* router.add("POST", pathTo("customers/:id/tax-number"), check)
  })
)
