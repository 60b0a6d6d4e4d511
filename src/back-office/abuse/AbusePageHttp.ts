import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { text } from "../../pages/Html.ts"
import { Line } from "../../platform/fields/Line.ts"
import { LookUp } from "../../staff/abuse/AbuseApi.ts"
import { AbuseDesk } from "../../staff/abuse/AbuseDesk.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import { abusePage, answerPage } from "./AbusePages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"

const perPage = 20

const { at, case_number, exit_ip, reason } = LookUp.fields

const whole = (minimum: number, maximum: number) =>
  Schema.String.check(Schema.isPattern(/^\d{1,5}$/)).pipe(
    Schema.decodeTo(Schema.FiniteFromString),
    Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum, maximum })))
  )

const Question = Schema.Struct({
  exit_ip,
  exit_port: Schema.optionalKey(whole(1, 65_535)),
  at,
  tolerance_seconds: whole(0, 3_600),
  destination: Schema.optionalKey(Line(1, 253)),
  is_machine: Schema.optionalKey(Schema.Literal("yes")),
  case_number,
  reason
})

const messages = {
  exit_ip: text("abuse.exit_ip_wrong"),
  exit_port: text("abuse.exit_port_wrong"),
  at: text("abuse.at_wrong"),
  tolerance_seconds: text("abuse.tolerance_wrong"),
  destination: text("abuse.destination_wrong"),
  is_machine: text("form.not_confirmed"),
  case_number: text("abuse.case_wrong"),
  reason: text("abuse.reason_wrong")
}

const isId = Schema.is(Schema.String.check(Schema.isUUID()))

/** The page that finds who used an exit address. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const desk = yield* AbuseDesk
    const { pathTo, show, take } = yield* AdminPages

    const page = (visit: AdminVisit, typed: Parameters<typeof abusePage>[2] = {}) => {
      const after = visit.query.get("after")
      const recorded = desk.list(visit.actor, { limit: perPage, ...(isId(after) && { after }) })
      return Effect.map(recorded, (recorded) => abusePage(visit, recorded, typed))
    }

    yield* router.add(
      "GET",
      pathTo("abuse"),
      show((visit) => page(visit))
    )
    yield* router.add(
      "POST",
      pathTo("abuse"),
      take({
        fields: Question,
        messages,
        again: (visit, faults, { field }) => page(visit, { faults, field }),
        act: Effect.fnUntraced(function* (
          visit,
          { case_number, destination, exit_port, is_machine, reason, ...asked }
        ) {
          const answer = yield* desk.lookUp(visit.actor, {
            ...asked,
            exit_port: exit_port ?? null,
            destination: destination ?? null,
            is_machine: is_machine === "yes",
            reason: `${case_number}: ${reason}`
          })
          return answerPage(visit, asked.exit_ip, answer)
        })
      })
    )
  })
)
