import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Catalog } from "../catalog/Catalog.ts"
import { DatabaseHealth } from "../platform/postgres/DatabaseHealth.ts"
import { Draining } from "./Draining.ts"

const noStore = { "cache-control": "no-store" }

const live = HttpRouter.add(
  "GET",
  "/health/live",
  HttpServerResponse.jsonUnsafe({ status: "ok" }, { headers: noStore })
)

const word = (ok: boolean) => (ok ? "ok" : "failing")

/**
 * Reports ready when the database answers, its migrations are applied and the catalog is filled, until a stop begins.
 */
const ready = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const catalog = yield* Catalog
    const database = yield* DatabaseHealth
    const draining = yield* Draining

    yield* router.add(
      "GET",
      "/health/ready",
      Effect.gen(function* () {
        const { migrated, reachable } = yield* database.state
        const filled = yield* catalog.filled
        const stopping = yield* draining.hasBegun
        const ok = reachable && migrated && filled && !stopping
        return HttpServerResponse.jsonUnsafe(
          {
            status: stopping ? "stopping" : word(ok),
            checks: { database: word(reachable), migrations: word(migrated), catalog: word(filled) }
          },
          { status: ok ? 200 : 503, headers: noStore }
        )
      })
    )
  })
)

export const layer = Layer.merge(live, ready)
