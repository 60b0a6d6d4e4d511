import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { GatewayAccess } from "./GatewayAccess.ts"
import { GatewayRotationsRepo } from "./GatewayRotationsRepo.ts"

const batch = 100

/** Gives rotating proxies another exit address whose own interval has passed. */
export const run = Effect.gen(function* () {
  const repo = yield* GatewayRotationsRepo
  const { rotateDue } = yield* GatewayAccess
  const round = Effect.gen(function* () {
    const due = yield* repo.due(yield* DateTime.now, batch)
    // A proxy may have ended meanwhile.
    yield* Effect.forEach(due, ({ id }) => Effect.ignore(rotateDue(id)), { discard: true })
    return due.length
  })
  yield* Effect.repeat(round, { while: (rotated) => rotated === batch })
})

export const layer = Job.layer("GatewayRotations", Schedule.spaced("10 seconds"), run).pipe(
  Layer.provide([GatewayAccess.layer, GatewayRotationsRepo.layer])
)
