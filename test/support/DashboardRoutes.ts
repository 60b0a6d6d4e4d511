import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import * as BackOfficeHttp from "../../src/back-office/BackOfficeHttp.ts"
import * as DashboardHttp from "../../src/dashboard/DashboardHttp.ts"
import { RateLimit } from "../../src/platform/requests/RateLimit.ts"
import { Addresses } from "../../src/platform/settings/Addresses.ts"
import * as ServiceMocks from "./ServiceMocks.ts"
import { config } from "./TestRoutes.ts"

/** Lists the paths of pages for a method, as they add them to the router. */
const routesOf =
  (routes: Layer.Layer<never, any, any>) =>
  (wanted: "GET" | "POST"): Effect.Effect<ReadonlyArray<string>> =>
    Effect.suspend(() => {
      const paths: Array<string> = []
      const recording = Layer.effect(
        HttpRouter.HttpRouter,
        Effect.map(HttpRouter.make, (router) => ({
          ...router,
          add: ((method, path) => {
            if (method === wanted) paths.push(path)
            return Effect.void
          }) as HttpRouter.HttpRouter["add"]
        }))
      )
      const pages = routes.pipe(
        Layer.provide([recording, ServiceMocks.layer]),
        Layer.provide([RateLimit.layer, Addresses.layer]),
        Layer.provide(config({}))
      ) as unknown as Layer.Layer<never>
      return Effect.map(Effect.scoped(Layer.build(pages)), () => paths.toSorted())
    })

/** Lists the paths of the dashboard for a method. */
export const dashboardRoutes = routesOf(DashboardHttp.layer)

/** Lists the paths of the back office for a method. */
export const backOfficeRoutes = routesOf(BackOfficeHttp.layer)
