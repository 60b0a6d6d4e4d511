import { Effect } from "effect"
import { DatabaseHealth } from "../platform/postgres/DatabaseHealth.ts"
import { Catalog } from "./Catalog.ts"

/** Makes the effect that finds what this instance needs to serve customers: each part is true when it works. */
export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const database = yield* DatabaseHealth
  return Effect.gen(function* () {
    const { migrated, reachable } = yield* database.state
    const filled = yield* catalog.filled
    return { isReady: reachable && migrated && filled, reachable, migrated, filled }
  })
})
