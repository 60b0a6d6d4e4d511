import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { HeldPortsRepo } from "../../src/gateway/HeldPortsRepo.ts"
import { knownPorts } from "../../src/gateway/KnownPorts.ts"
import * as Database from "../../src/platform/postgres/Database.ts"
import { times } from "../Ratio.ts"
import type { Site } from "./Site.ts"

const range = times(10_000)
  .map((n) => 20_000 + n)
  .filter((port) => !knownPorts.includes(port))

/** The number of unsold ports that a gateway holds, as `GatewayLimits` has it. */
const reserve = 256

/**
 * Reports ports as held, in the place of a gateway process, while the scope is open. Always keeps as many unsold ports as
 * a gateway does. `startOver` deletes all proxies, so that each measurement begins with the same ports.
 */
export const hold = Effect.fnUntraced(function* ({ connection }: Site) {
  const pool = Database.layerPool({ ...connection, maxConnections: 3 })
  const context = yield* Layer.build(Layer.provideMerge(HeldPortsRepo.layer, pool))
  const id = randomUUID()

  const report = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ sold: number }>`SELECT count(*)::int AS sold FROM gateway_proxy`
    const held = range.slice(0, (row?.sold ?? 0) + reserve)
    yield* HeldPortsRepo.use((repo) => repo.report(id, "bench", held, reserve / 2))
  })

  const startOver = SqlClient.SqlClient.use((sql) => sql`TRUNCATE gateway_proxy CASCADE`).pipe(Effect.andThen(report))

  yield* Effect.provide(Effect.asVoid(HeldPortsRepo.use((repo) => repo.present(id))), context)
  yield* Effect.provide(report, context)
  yield* report.pipe(Effect.delay("20 millis"), Effect.forever, Effect.provide(context), Effect.forkScoped)
  return { startOver: Effect.orDie(Effect.provide(startOver, context)) }
})
