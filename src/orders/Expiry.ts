import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { OrdersRepo } from "./OrdersRepo.ts"

const batch = 500

/** Moves a status batch by batch until none is due. */
const drain = (move: (now: DateTime.Utc, limit: number) => Effect.Effect<number>) =>
  Effect.gen(function* () {
    let moved = batch
    while (moved === batch) moved = yield* move(yield* DateTime.now, batch)
  })

/** Moves every proxy whose time has come: `active` to `expiring`, then `expiring` to `expired`. */
export const run = Effect.gen(function* () {
  const repo = yield* OrdersRepo
  yield* drain(repo.markExpiring)
  yield* drain(repo.markExpired)
})

const layerNoDeps = Job.layer("Expiry", Schedule.spaced("5 seconds"), run)

export const layer = layerNoDeps.pipe(Layer.provide(OrdersRepo.layer))
