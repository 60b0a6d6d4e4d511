import { Effect, Layer, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { Entries, Nonce, TypedTime } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { needs } from "../../staff/Actor.ts"
import { NewPromoCode, PromoCodeLimits } from "../../staff/promo-codes/NewPromoCode.ts"
import { PromoCodeDesk } from "../../staff/promo-codes/PromoCodeDesk.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import type { Typed } from "../desk/MoneyFields.ts"
import { endPromoCodePage, newPromoCodePage, promoCodePage, promoCodesPage } from "./PromoCodePages.ts"

const perPage = 50

const isId = Schema.is(Schema.String.check(Schema.isUUID()))

const Count = Schema.FiniteFromString.pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 31 - 1 })))
)
const Offers = Entries.pipe(Schema.decodeTo(Schema.Array(Count).check(Schema.isMaxLength(100))))

const { reason } = PromoCodeLimits.fields

const limits = {
  expires_at: Schema.optionalKey(TypedTime),
  use_limit: Schema.optionalKey(Count),
  account_limit: Count,
  key: Nonce
}

const limitMessages = {
  expires_at: text("form.time_wrong"),
  use_limit: text("codes.count_wrong"),
  account_limit: text("codes.count_wrong"),
  key: text("form.not_confirmed")
}

const Code = Schema.Trim.check(Schema.isPattern(/^[A-Za-z0-9-]{3,40}$/))

const fields = Schema.Struct({
  ...limits,
  code: Code,
  kind: NewPromoCode.fields.kind,
  value: NewPromoCode.fields.value,
  valid_from: Schema.optionalKey(TypedTime),
  offer_ids: Schema.optionalKey(Offers)
})

const messages = {
  ...limitMessages,
  code: text("codes.code_wrong"),
  kind: text("admin.action_wrong"),
  value: text("codes.value_wrong"),
  valid_from: text("form.time_wrong"),
  offer_ids: text("codes.offers_wrong")
}

/** Where the list goes on. */
const keysetOf = ({ query }: AdminVisit) => {
  const after = query.get("after")
  return { limit: perPage, ...(isId(after) && { after }) }
}

/** Makes the functions that show one code. */
const makeShown = Effect.map(PromoCodeDesk, (codes) => {
  const code = ({ actor }: AdminVisit) =>
    Effect.flatMap(HttpRouter.params, ({ promo_code_id = "" }) => codes.get(actor, promo_code_id))

  return {
    code,
    one: Effect.fnUntraced(function* (visit: AdminVisit, typed: Typed = {}) {
      const found = yield* code(visit)
      const uses = yield* codes.uses(visit.actor, found.id, keysetOf(visit))
      const isAdded = visit.query.get("done") === "added"
      const notice = isAdded ? text("codes.added") : visit.query.has("done") ? text("codes.changed") : undefined
      return promoCodePage(visit, randomUUID(), {
        ...typed,
        code: found,
        uses,
        ...(notice !== undefined && { notice })
      })
    }),
    end: Effect.fnUntraced(function* (visit: AdminVisit, typed: Typed = {}) {
      yield* needs(visit.actor, "promo_code.change")
      return endPromoCodePage(visit, yield* code(visit), randomUUID(), typed)
    }),
    added: Effect.fnUntraced(function* (visit: AdminVisit, typed: Typed = {}) {
      yield* needs(visit.actor, "promo_code.change")
      return newPromoCodePage(visit, randomUUID(), typed)
    })
  }
})

/** The list of promo codes, and the form of a new one. */
const list = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const codes = yield* PromoCodeDesk
    const shown = yield* makeShown
    const { pathTo, show, take } = yield* AdminPages

    yield* router.add(
      "GET",
      pathTo("promo-codes"),
      show((visit) => Effect.map(codes.list(visit.actor, keysetOf(visit)), (part) => promoCodesPage(visit, part)))
    )
    yield* router.add(
      "GET",
      pathTo("promo-codes/new"),
      show((visit) => shown.added(visit))
    )
    yield* router.add(
      "POST",
      pathTo("promo-codes/new"),
      take({
        fields,
        messages,
        again: (visit, faults, { field }) => shown.added(visit, { faults, field }),
        act: Effect.fnUntraced(function* (visit, { key, ...given }) {
          const wanted = { ...given, code: given.code.toUpperCase() }
          const { answer } = yield* codes.create(visit.actor, key, wanted)
          return redirect(`${pathTo(`promo-codes/${answer.id}`)}?done=added`)
        })
      })
    )
  })
)

/** The page of one code, and the form that ends it. */
const one = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const codes = yield* PromoCodeDesk
    const shown = yield* makeShown
    const { pathTo, show, take } = yield* AdminPages

    yield* router.add(
      "GET",
      pathTo("promo-codes/:promo_code_id"),
      show((visit) => shown.one(visit))
    )
    yield* router.add(
      "POST",
      pathTo("promo-codes/:promo_code_id"),
      take({
        fields: Schema.Struct({ ...limits, reason }),
        messages: { ...limitMessages, reason: text("pause.reason_wrong") },
        again: (visit, faults, { field }) => shown.one(visit, { faults, field }),
        act: Effect.fnUntraced(function* (visit, { key, ...given }) {
          const { id } = yield* shown.code(visit)
          const { account_limit, expires_at = null, reason, use_limit = null } = given
          yield* codes.limit(visit.actor, key, id, { account_limit, expires_at, reason, use_limit })
          return redirect(`${pathTo(`promo-codes/${id}`)}?done=changed`)
        })
      })
    )
    yield* router.add(
      "GET",
      pathTo("promo-codes/:promo_code_id/end"),
      show((visit) => shown.end(visit))
    )
    yield* router.add(
      "POST",
      pathTo("promo-codes/:promo_code_id/end"),
      take({
        fields: Schema.Struct({ reason, key: Nonce }),
        messages: { reason: text("pause.reason_wrong"), key: text("form.not_confirmed") },
        again: (visit, faults, { field }) => shown.end(visit, { faults, field }),
        act: Effect.fnUntraced(function* (visit, { key, reason }) {
          const { id } = yield* shown.code(visit)
          yield* codes.end(visit.actor, key, id, reason)
          return redirect(`${pathTo(`promo-codes/${id}`)}?done=changed`)
        })
      })
    )
  })
)

export const layer = Layer.merge(list, one)
