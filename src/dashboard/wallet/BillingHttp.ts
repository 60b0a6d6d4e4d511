import { Data, Effect, Schema, SchemaGetter } from "effect"
import { HttpRouter } from "effect/http"
import type { Faults } from "../../pages/Field.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { pathOf } from "../../pages/PagePaths.ts"
import type { Submission } from "../../pages/Visitors.ts"
import { BillingDetails, noDetails } from "../../wallet/invoices/BillingDetails.ts"
import { Invoices } from "../../wallet/invoices/Invoices.ts"
import { Pages } from "../desk/Pages.ts"
import type { Visit } from "../desk/Visit.ts"
import { billingPage } from "./BillingPage.ts"

/** Reads a field. An empty or missing one removes the text. */
const given = (
  schema: Schema.Codec<string | null, string | null>,
  tidy: (text: string) => string = (text) => text.replace(/\s+/g, " ")
) =>
  Schema.String.pipe(
    Schema.decodeTo(schema, {
      decode: SchemaGetter.transform((text) => tidy(text).trim() || null),
      encode: SchemaGetter.transform((text) => text ?? "")
    }),
    Schema.optionalKey
  )

const { address, country, name, tax_number } = BillingDetails.fields

const Fields = Schema.Struct({
  kind: Schema.optionalKey(Schema.Literals(["private", "business"])),
  name: given(name),
  address: given(address, (text) => text),
  country: given(country),
  tax_number: given(tax_number)
})

const messages = {
  kind: text("form.not_confirmed"),
  name: text("billing.name_wrong"),
  address: text("billing.address_wrong"),
  country: text("billing.country_wrong"),
  tax_number: text("billing.tax_number_wrong")
} as const

/** A private person gave a tax number. */
class TaxNumberOfPerson extends Data.TaggedError("TaxNumberOfPerson")<{
  readonly status: 422
  readonly detail: string
}> {}

/** The one failure of the form. */
const told = (): Faults => ({ tax_number: text("billing.tax_number_private") })

const again = (visit: Visit, faults: Faults, { field }: Submission) =>
  Effect.succeed(billingPage(visit, { typed: field, faults }))

/** The page of the billing details. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const invoices = yield* Invoices
    const pages = yield* Pages
    const path = yield* pathOf("wallet/billing")

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const { is_business, ...details } = yield* invoices.billingDetails(visit.user.id)
      const shown = { ...details, kind: is_business ? "business" : "private" }
      const notice = visit.query.get("outcome") === "saved" ? text("billing.saved") : undefined
      return billingPage(visit, { typed: (name) => shown[name] ?? "", notice })
    })

    const save = Effect.fnUntraced(function* ({ user }: Visit, { kind, ...details }: typeof Fields.Type) {
      const is_business = kind === "business"
      if (!is_business && (details.tax_number ?? null) !== null)
        return yield* new TaxNumberOfPerson({ status: 422, detail: "Only a business has a tax number" })
      yield* invoices.setBillingDetails(user.id, { ...noDetails, ...details, is_business })
      return redirect(`${path}?outcome=saved`)
    })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("POST", path, pages.take({ fields: Fields, messages, again, act: save, told }))
  })
)
