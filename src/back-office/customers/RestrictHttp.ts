import { DateTime, Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { Preset, ReasonCode } from "../../accounts/restrictions/Restriction.ts"
import { RestrictionNotFound } from "../../accounts/restrictions/RestrictionErrors.ts"
import { Nonce } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { Text } from "../../platform/fields/Text.ts"
import { needs } from "../../staff/Actor.ts"
import { CustomerRestrictions, type Wanted } from "../../staff/customers/CustomerRestrictions.ts"
import { Customers } from "../../staff/customers/Customers.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { customerInPath } from "../desk/CustomerInPath.ts"
import { customerPage } from "./CustomerPage.ts"
import * as ReadCustomer from "../desk/ReadCustomer.ts"
import { liftPage, restrictPage, restrictReview } from "./RestrictPages.ts"
import { SuspensionTooLong } from "./SuspensionTooLong.ts"

const Days = Schema.FiniteFromString.pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3_650 })))
)
const Reason = Text(3, 500)

const Restriction = Schema.Struct({
  preset: Preset,
  reason_code: ReasonCode,
  internal_reason: Reason,
  public_reason: Text(3, 300),
  days: Schema.optionalKey(Days),
  /** The end that the page of the review showed, so that a form that is sent twice has the same content. */
  until_at: Schema.optionalKey(Schema.DateTimeUtcFromString),
  confirmed: Schema.optionalKey(Schema.Literal("yes")),
  key: Nonce
})

const messages = {
  preset: text("admin.action_wrong"),
  reason_code: text("money.code_wrong"),
  internal_reason: text("restriction.reason_wrong"),
  public_reason: text("restriction.public_reason_wrong"),
  days: text("restriction.days_wrong"),
  until_at: text("form.not_confirmed"),
  confirmed: text("form.not_confirmed"),
  key: text("form.not_confirmed")
}

type Given = typeof Restriction.Type

const endOf = ({ days, until_at }: Given, { now }: AdminVisit) =>
  until_at ?? (days === undefined ? null : DateTime.add(now, { days }))

const wanted = (given: Given, visit: AdminVisit): Wanted => {
  const { internal_reason, preset, public_reason, reason_code } = given
  return { preset, reason_code, internal_reason, public_reason, until_at: endOf(given, visit) }
}

/** The fields that the page of the review sends again. */
const fieldsOf = (given: Given, visit: AdminVisit) => {
  const { days, internal_reason, key, preset, public_reason, reason_code } = given
  const end = endOf(given, visit)
  const texts = { preset, reason_code, internal_reason, public_reason, key }
  const times = days === undefined || end === null ? {} : { days: String(days), until_at: DateTime.formatIso(end) }
  return Object.entries({ ...texts, ...times })
}

/** Makes the functions that show the forms. */
const makeForms = Effect.gen(function* () {
  const customers = yield* Customers

  const customer = ({ actor }: AdminVisit) => Effect.flatMap(customerInPath, (id) => customers.get(actor, id))

  const restriction = Effect.gen(function* () {
    return (yield* HttpRouter.params)["restriction_id"]
  })

  return {
    customer,
    restrict: Effect.fnUntraced(function* (visit: AdminVisit, typed: Parameters<typeof restrictPage>[3] = {}) {
      yield* needs(visit.actor, "restriction.hold")
      return restrictPage(visit, yield* customer(visit), randomUUID(), typed)
    }),
    lift: Effect.fnUntraced(function* (visit: AdminVisit, typed: Parameters<typeof liftPage>[4] = {}) {
      yield* needs(visit.actor, "restriction.lift")
      const whole = yield* customer(visit)
      const id = yield* restriction
      const found = whole.restrictions.find((one) => one.id === id)
      return found === undefined ? yield* new RestrictionNotFound() : liftPage(visit, whole, found, randomUUID(), typed)
    })
  }
})

/** The forms that restrict a customer and lift a restriction. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const forms = yield* makeForms
    const read = yield* ReadCustomer.make
    const restrictions = yield* CustomerRestrictions
    const { pathTo, show, take } = yield* AdminPages

    yield* router.add(
      "GET",
      pathTo("customers/:id/restrict"),
      show((visit) => forms.restrict(visit))
    )
    yield* router.add(
      "POST",
      pathTo("customers/:id/restrict"),
      take({
        fields: Restriction,
        messages,
        again: (visit, faults, { field }) => forms.restrict(visit, { faults, field }),
        act: Effect.fnUntraced(
          function* (visit, given) {
            const { actor } = visit
            if (given.confirmed === undefined)
              return restrictReview(visit, yield* forms.customer(visit), given, fieldsOf(given, visit))
            const id = yield* customerInPath
            yield* restrictions.place(actor, given.key, id, wanted(given, visit))
            return customerPage(visit, yield* read(actor, id), { notice: text("restriction.placed") })
          },
          Effect.catchTag("RequestInvalid", () => new SuspensionTooLong())
        )
      })
    )
    yield* router.add(
      "GET",
      pathTo("customers/:id/lift/:restriction_id"),
      show((visit) => forms.lift(visit))
    )
    yield* router.add(
      "POST",
      pathTo("customers/:id/lift/:restriction_id"),
      take({
        fields: Schema.Struct({ reason: Reason, key: Nonce }),
        messages: { reason: text("restriction.reason_wrong"), key: text("form.not_confirmed") },
        again: (visit, faults, { field }) => forms.lift(visit, { faults, field }),
        act: Effect.fnUntraced(function* (visit, { key, reason }) {
          const { actor } = visit
          const { restrictions: all } = yield* forms.customer(visit)
          const params = yield* HttpRouter.params
          const found = all.find(({ id }) => id === params["restriction_id"])
          if (found === undefined) return yield* new RestrictionNotFound()
          yield* restrictions.lift(actor, key, found.id, reason)
          return customerPage(visit, yield* read(actor, found.user_id), { notice: text("restriction.was_lifted") })
        })
      })
    )
  })
)
