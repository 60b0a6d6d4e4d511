import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { Email } from "../../accounts/Email.ts"
import { Line } from "../../platform/fields/Line.ts"
import { text } from "../../pages/Html.ts"
import type { Actor } from "../../staff/Actor.ts"
import { Invites } from "../../staff/members/Invites.ts"
import { Members } from "../../staff/members/Members.ts"
import { Role } from "../../staff/Role.ts"
import { StaffNotFound } from "../../staff/StaffErrors.ts"
import { StaffId } from "../../staff/StaffId.ts"
import { AdminPages } from "../desk/AdminPages.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { linkPage, memberPage, staffPage } from "./StaffPages.ts"

const perPage = 100

const isId = Schema.is(StaffId)
const Reason = Line(1, 500)

const Change = Schema.Struct({
  act: Schema.Literals(["role", "disable", "enable", "reset", "invite"]),
  role: Schema.optionalKey(Role),
  reason: Schema.optionalKey(Reason)
})

const idInPath = Effect.flatMap(HttpRouter.params, ({ id }) =>
  isId(id) ? Effect.succeed(id) : Effect.fail(new StaffNotFound())
)

/** Makes one of the changes of a member. */
const change = Effect.fnUntraced(function* (
  members: Members["Service"],
  by: Actor["Service"],
  id: StaffId,
  { act, reason: given, role = "viewer" }: typeof Change.Type
) {
  const reason = given ?? null
  if (act === "role") return yield* members.setRole(by, id, role)
  if (act === "disable") return yield* members.disable(by, id, reason)
  return yield* act === "enable" ? members.enable(by, id, reason) : members.resetSecondFactor(by, id)
})

/** The pages of staff: the list with its invitations, and one page for each member. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const invites = yield* Invites
    const members = yield* Members
    const { pathTo, show, take } = yield* AdminPages

    const listOf = Effect.fnUntraced(function* ({ actor, query }: AdminVisit) {
      const after = query.get("after")
      const page = yield* members.list(actor, { limit: perPage, ...(isId(after) && { after }) })
      return { ...page, invites: yield* invites.list(actor) }
    })

    yield* router.add(
      "GET",
      pathTo("staff"),
      show((visit) => Effect.map(listOf(visit), (list) => staffPage(visit, list)))
    )
    yield* router.add(
      "POST",
      pathTo("staff"),
      take({
        fields: Schema.Struct({ email: Email, name: Line(1, 100), role: Role }),
        messages: {
          email: text("form.email_wrong"),
          name: text("admin.name_wrong"),
          role: text("admin.role_wrong")
        },
        again: (visit, faults, { field }) =>
          Effect.map(listOf(visit), (list) => staffPage(visit, list, { faults, field })),
        act: (visit, given) => Effect.map(invites.create(visit.actor, given), (invite) => linkPage(visit, invite))
      })
    )

    const showMember = (visit: AdminVisit, more: Parameters<typeof memberPage>[2] = {}) =>
      Effect.gen(function* () {
        return memberPage(visit, yield* members.find(visit.actor, yield* idInPath), more)
      })

    yield* router.add(
      "GET",
      pathTo("staff/:id"),
      show((visit) => showMember(visit))
    )
    yield* router.add(
      "POST",
      pathTo("staff/:id"),
      take({
        fields: Change,
        messages: {
          act: text("admin.action_wrong"),
          role: text("admin.role_wrong"),
          reason: text("admin.reason_wrong")
        },
        again: (visit, faults) => showMember(visit, { faults }),
        act: Effect.fnUntraced(function* (visit, given) {
          const id = yield* idInPath
          if (given.act === "invite") return linkPage(visit, yield* invites.renew(visit.actor, id))
          if ((given.act === "disable" || given.act === "enable") && given.reason === undefined)
            return yield* showMember(visit, { faults: { reason: text("admin.reason_wrong") } })
          const member = yield* change(members, visit.actor, id, given)
          return memberPage(visit, member, { notice: text("admin.changed") })
        })
      })
    )
  })
)
