import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { randomUUID } from "node:crypto"
import { Nonce } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import { redirect } from "../../pages/PageAnswer.ts"
import { needs } from "../../staff/Actor.ts"
import { NewSalesPause } from "../../staff/providers/NewSalesPause.ts"
import { PauseDesk } from "../../staff/providers/PauseDesk.ts"
import { ProviderDesk } from "../../staff/providers/ProviderDesk.ts"
import type { SalesPauseView } from "../../staff/providers/SalesPauseView.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { pausePage, pauseReview, resumePage, scopeValue } from "./PausePages.ts"

type Scope = Pick<typeof SalesPauseView.Type, "scope" | "scope_id">

const { reason, scope } = NewSalesPause.fields
const isScope = Schema.is(scope)

const scopeOf = (value: string): Scope | undefined => {
  const [name = "", ...rest] = value.split(":")
  const scope_id = rest.join(":")
  if (!isScope(name) || scope_id.length > 200 || (name === "all") !== (scope_id === "")) return undefined
  return { scope: name, scope_id: name === "all" ? null : scope_id }
}

/** The scope that a form pauses, such as `kind:mobile`. */
const What = Schema.String.check(
  Schema.makeFilter((value) => scopeOf(value) !== undefined || "must be a scope such as kind:mobile")
)

const Hours = Schema.FiniteFromString.pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8_760 })))
)

const Pause = Schema.Struct({
  what: What,
  hours: Hours,
  reason,
  key: Nonce,
  confirmed: Schema.optionalKey(Schema.Literal("yes"))
})

const messages = {
  what: text("pause.what_wrong"),
  hours: text("pause.hours_wrong"),
  reason: text("pause.reason_wrong"),
  key: text("form.not_confirmed"),
  confirmed: text("form.not_confirmed")
}

const always: ReadonlyArray<Scope> = [
  { scope: "all", scope_id: null },
  ...["datacenter", "residential", "mobile"].map((scope_id) => ({ scope: "kind", scope_id }) as const),
  ...["card_gateway", "crypto_gateway", "messenger_stars"].map((scope_id) => ({ scope: "method", scope_id }) as const)
]

/** Makes the functions that show the forms. */
const makeForms = Effect.gen(function* () {
  const pauses = yield* PauseDesk
  const providers = yield* ProviderDesk

  const openPause = ({ actor }: AdminVisit) =>
    Effect.flatMap(HttpRouter.params, ({ pause_id = "" }) => pauses.find(actor, pause_id))

  return {
    openPause,
    pause: Effect.fnUntraced(function* (visit: AdminVisit, typed: Parameters<typeof pausePage>[3] = {}) {
      yield* needs(visit.actor, "provider.pause")
      const sellers = (yield* providers.list(visit.actor)).map(({ name }): Scope => ({
        scope: "provider",
        scope_id: name
      }))
      const asked = typed.field?.("what") ?? visit.query.get("what") ?? "all"
      const offered = [...always, ...sellers]
      const other = offered.some((one) => scopeValue(one) === asked) ? undefined : scopeOf(asked)
      const field = (name: string) => (name === "what" ? asked : typed.field?.(name))
      return pausePage(visit, other === undefined ? offered : [...offered, other], randomUUID(), { ...typed, field })
    }),
    resume: Effect.fnUntraced(function* (visit: AdminVisit, typed: Parameters<typeof resumePage>[3] = {}) {
      yield* needs(visit.actor, "provider.pause")
      return resumePage(visit, yield* openPause(visit), randomUUID(), typed)
    })
  }
})

/** The forms that stop a sale, and that resume it. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const forms = yield* makeForms
    const pauses = yield* PauseDesk
    const { pathTo, show, take } = yield* AdminPages

    yield* router.add(
      "GET",
      pathTo("pause"),
      show((visit) => forms.pause(visit))
    )
    yield* router.add(
      "POST",
      pathTo("pause"),
      take({
        fields: Pause,
        messages,
        again: (visit, faults, { field }) => forms.pause(visit, { faults, field }),
        act: Effect.fnUntraced(function* (visit, { confirmed, hours, key, reason, what }) {
          const { actor } = visit
          const scope = scopeOf(what) ?? (yield* Effect.die("The form accepted a scope that is none"))
          if (confirmed === undefined) {
            yield* needs(actor, "provider.pause")
            const covered = yield* pauses.covered(actor, scope)
            const fields = Object.entries({ what, hours: String(hours), reason, key })
            return pauseReview(visit, { scope, hours, reason, covered }, fields)
          }
          yield* pauses.place(actor, key, { ...scope, hours, reason })
          return redirect(`${pathTo("providers")}?done=paused`)
        })
      })
    )
    yield* router.add(
      "GET",
      pathTo("pauses/:pause_id"),
      show((visit) => forms.resume(visit))
    )
    yield* router.add(
      "POST",
      pathTo("pauses/:pause_id"),
      take({
        fields: Schema.Struct({ reason, key: Nonce }),
        messages: { reason: messages.reason, key: messages.key },
        again: (visit, faults, { field }) => forms.resume(visit, { faults, field }),
        act: Effect.fnUntraced(function* (visit, { key, reason }) {
          const { id } = yield* forms.openPause(visit)
          yield* pauses.lift(visit.actor, key, id, reason)
          return redirect(`${pathTo("providers")}?done=resumed`)
        })
      })
    )
  })
)
