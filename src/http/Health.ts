import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as Readiness from "../catalog/Readiness.ts"
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
    const draining = yield* Draining
    const readiness = yield* Readiness.make

    yield* router.add(
      "GET",
      "/health/ready",
      Effect.gen(function* () {
        const { filled, isReady, migrated, reachable } = yield* readiness
        const stopping = yield* draining.hasBegun
        return HttpServerResponse.jsonUnsafe(
          {
            status: stopping ? "stopping" : word(isReady),
            checks: { database: word(reachable), migrations: word(migrated), catalog: word(filled) }
          },
          { status: isReady && !stopping ? 200 : 503, headers: noStore }
        )
      })
    )
  })
)

export const layer = Layer.merge(live, ready)
