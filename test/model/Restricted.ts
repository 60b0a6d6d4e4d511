import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { RestrictionId } from "../../src/accounts/restrictions/Restriction.ts"
import { Restrictions } from "../../src/accounts/restrictions/Restrictions.ts"
import type { UserId } from "../../src/accounts/User.ts"
import { lift, restrict } from "../support/Restricting.ts"
import { request } from "../support/TestServer.ts"
import { jobs, jobsOfRestrictions } from "./Jobs.ts"
import type { Model } from "./Model.ts"

/** The effect of the operator's restrictions on a customer and on its model. */
export const make = (model: Model, user_id: UserId, key: string) => {
  let open: RestrictionId | undefined

  const place = Effect.fnUntraced(function* (preset: "hold" | "suspend") {
    if (open !== undefined) return
    model.restrict(preset)
    open = (yield* Effect.orDie(restrict(user_id, preset))).id
    yield* jobsOfRestrictions
  }, Effect.provide(Restrictions.layer))

  const free = Effect.gen(function* () {
    if (open !== undefined) yield* lift(open)
    open = undefined
    model.restriction = undefined
    yield* jobsOfRestrictions
  }).pipe(Effect.provide(Restrictions.layer))

  const ban = Effect.fnUntraced(function* (hours: number) {
    const { id } = yield* Effect.orDie(restrict(user_id, "ban"))
    yield* jobsOfRestrictions
    assert.strictEqual((yield* request("GET", "/v1/orders", { key })).status, 403)
    yield* TestClock.adjust(`${hours} hours`)
    yield* jobs
    model.ban(hours)
    yield* lift(id)
    yield* jobsOfRestrictions
  }, Effect.provide(Restrictions.layer))

  return { restrict: place, free, ban }
}
