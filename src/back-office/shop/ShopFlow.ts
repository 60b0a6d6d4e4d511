import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { Nonce } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { makeAnswer, redirect } from "../../pages/PageAnswer.ts"
import { Line } from "../../platform/fields/Line.ts"
import { needs } from "../../staff/Actor.ts"
import { ShopChanges, type ShopEdit } from "../../staff/shop/ShopChanges.ts"
import { ShopDesk } from "../../staff/shop/ShopDesk.ts"
import type { ShopArticleNotFound, ShopFaulty } from "../../staff/shop/ShopErrors.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { planPage, type Typed } from "./ShopForms.ts"

const Id = Schema.String.check(Schema.isPattern(/^[0-9a-f]{12}$/))

/** The fields that every form of the shop has beside its own. */
export const schema = {
  version: Id,
  plan: Schema.optionalKey(Id),
  key: Nonce,
  reason: Line(3, 500),
  edit: Schema.optionalKey(Schema.Literal("yes"))
}

export const messages = {
  version: text("form.not_confirmed"),
  plan: text("form.not_confirmed"),
  key: text("form.not_confirmed"),
  reason: text("restriction.reason_wrong"),
  edit: text("form.not_confirmed")
}

interface Given {
  readonly version: string
  readonly plan?: string
  readonly key: string
  readonly reason: string
  readonly edit?: "yes"
}

interface Editing<E> {
  readonly path: string
  readonly edit: Effect.Effect<ShopEdit, E>
  readonly form: (typed: Typed) => Page
}

/** The fields of the flow, which the page of the plan has of its own. */
const ofFlow = ["version", "plan", "key", "edit"]

/**
 * Makes the function that leads a form of the shop to its plan, and from there to the change. An outdated plan is shown anew,
 * and a file with faults keeps what was typed.
 */
export const make = Effect.gen(function* () {
  const answer = yield* makeAnswer
  const changes = yield* ShopChanges
  const desk = yield* ShopDesk

  return Effect.fnUntraced(function* <E extends ShopFaulty | ShopArticleNotFound>(
    visit: AdminVisit,
    given: Given,
    { edit, form, path }: Editing<E>
  ) {
    const { actor, pathTo } = visit
    // Before a long file is read. The service checks the right for the change itself.
    yield* needs(actor, "shop.price")
    const typed = Object.entries(given).flatMap(([name, value]): ReadonlyArray<readonly [string, string]> =>
      typeof value === "string" ? [[name, value]] : []
    )
    const fields = typed.filter(([name]) => !ofFlow.includes(name))
    const byName = new Map(typed)
    const shown: Typed = { field: (name) => byName.get(name), version: given.version, key: given.key }
    if (given.edit !== undefined) return form(shown)

    const planned = Effect.fnUntraced(function* (version: string, told: Partial<Typed> & { readonly key: string }) {
      const plan = yield* changes.plan(actor, yield* edit, version)
      return planPage(visit, { ...plan, ...told, path, fields })
    })

    const applied = Effect.gen(function* () {
      if (given.plan === undefined) return yield* planned(given.version, { key: given.key })
      yield* changes.apply(actor, given.key, yield* edit, given)
      return redirect(`${pathTo("shop")}?done=applied`)
    })

    /** The shop of today, for a change that was begun on another one. */
    const anew = Effect.gen(function* () {
      const version = yield* desk.version(actor)
      const key = randomUUID()
      if (given.plan === undefined)
        return yield* answer(409, form({ ...shown, version, key, warning: text("goods.version_conflict") }))
      const page = yield* planned(version, { key, warning: text("goods.plan_again") })
      return yield* answer(409, page)
    })

    const renewed = Effect.catchTag(applied, "ShopOutdated", () => anew)
    return yield* Effect.catchTag(renewed, "ShopFaulty", ({ details }) =>
      answer(422, form({ ...shown, faulty: details }))
    )
  })
})
