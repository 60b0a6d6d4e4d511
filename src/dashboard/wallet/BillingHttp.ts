import { Effect, Schema, SchemaGetter } from "effect"
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
const given = (schema: typeof BillingDetails.fields.name, tidy: (text: string) => string) =>
  Schema.String.pipe(
    Schema.decodeTo(schema, {
      decode: SchemaGetter.transform((text) => tidy(text).trim() || null),
      encode: SchemaGetter.transform((text) => text ?? "")
    })
  )

const Fields = Schema.Struct({
  name: Schema.optionalKey(given(BillingDetails.fields.name, (text) => text.replace(/\s+/g, " "))),
  // A form sends line breaks as CRLF.
  address: Schema.optionalKey(given(BillingDetails.fields.address, (text) => text.replace(/\r\n?/g, "\n")))
})

const messages = { name: text("billing.name_wrong"), address: text("billing.address_wrong") } as const

const again = (visit: Visit, faults: Faults, { field }: Submission) =>
  Effect.succeed(billingPage(visit, { address: field("address") ?? "", name: field("name") ?? "", faults }))

/** The page of the billing details. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const invoices = yield* Invoices
    const pages = yield* Pages
    const path = yield* pathOf("wallet/billing")

    const show = Effect.fnUntraced(function* (visit: Visit) {
      const { address, name } = yield* invoices.billingDetails(visit.user.id)
      const notice = visit.query.get("outcome") === "saved" ? text("billing.saved") : undefined
      return billingPage(visit, { address: address ?? "", name: name ?? "", notice })
    })

    const save = Effect.fnUntraced(function* ({ user }: Visit, details: Partial<BillingDetails>) {
      yield* invoices.setBillingDetails(user.id, { ...noDetails, ...details })
      return redirect(`${path}?outcome=saved`)
    })

    yield* router.add("GET", path, pages.show(show))
    yield* router.add("POST", path, pages.take({ fields: Fields, messages, again, act: save }))
  })
)
