import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../AdminApi.ts"
import { Actor } from "../Actor.ts"
import { Invites } from "./Invites.ts"
import { Members } from "./Members.ts"

/** Calls a service for the actor of the request. */
const by = <A, E, R>(act: (actor: Actor["Service"]) => Effect.Effect<A, E, R>) => Effect.flatMap(Actor, act)

export const layer = HttpApiBuilder.group(
  AdminApi,
  "adminStaff",
  Effect.fnUntraced(function* (handlers) {
    const invites = yield* Invites
    const members = yield* Members
    return handlers.handleAll({
      listStaff: ({ query }) => by((actor) => members.list(actor, query)),
      getStaff: ({ params }) => by((actor) => members.find(actor, params.staff_id)),
      setStaffRole: ({ params, payload }) => by((actor) => members.setRole(actor, params.staff_id, payload.role)),
      disableStaff: ({ params, payload }) => by((actor) => members.disable(actor, params.staff_id, payload.reason)),
      enableStaff: ({ params, payload }) => by((actor) => members.enable(actor, params.staff_id, payload.reason)),
      resetStaffSecondFactor: ({ params }) => by((actor) => members.resetSecondFactor(actor, params.staff_id)),
      listInvites: () => Effect.map(by(invites.list), (items) => ({ items })),
      createInvite: ({ payload }) => by((actor) => invites.create(actor, payload)),
      renewInvite: ({ params }) => by((actor) => invites.renew(actor, params.staff_id)),
      revokeInvite: ({ params }) => by((actor) => invites.revoke(actor, params.staff_id))
    })
  })
)
