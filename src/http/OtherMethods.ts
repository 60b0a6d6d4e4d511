import { Effect, Layer, Option } from "effect"
import { FindMyWay, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { pathOf } from "../mcp/ToolServer.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import { isAdminPath } from "../platform/requests/AdminPath.ts"
import { AllowedMethods } from "../platform/requests/AllowedMethods.ts"
import * as Cors from "../platform/requests/Cors.ts"

const order = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

/** Records the methods of every path as routes are added. */
const makeMethods = () => {
  const paths = FindMyWay.make<null>()
  const methods = new Set<string>()
  return {
    note: (method: string, path: HttpRouter.PathInput) => {
      paths.on(method, path, null)
      methods.add(method)
    },
    /** Lists the methods of a URL's path; GET includes HEAD. */
    of: (url: string): ReadonlyArray<string> => {
      const found = new Set([...methods].filter((method) => paths.find(method, url) !== undefined))
      if (found.has("GET")) found.add("HEAD")
      return order.filter((method) => found.has(method))
    }
  }
}

/** Writes an error in the body format of OAuth, of agents or of the REST API. */
const bodyOf = (url: string, detail: string) => {
  if (url.startsWith("/oauth/")) return { error: "invalid_request", error_description: detail }
  if (url.startsWith("/agent/")) return { error: "invalid_request", message: detail }
  return { detail, code: "BAD_REQUEST" }
}

const refuse = ({ method, url }: HttpServerRequest.HttpServerRequest, methods: ReadonlyArray<string>) => {
  const body = bodyOf(url, `This path does not accept ${method}; it accepts ${methods.join(", ")}`)
  return HttpServerResponse.jsonUnsafe(body, { headers: isAdminPath(url) ? {} : Cors.shared })
}

/**
 * Wraps the catch-all routes, which answer requests that match no other route. A path with other methods answers 405
 * with `Allow`, and answers OPTIONS, which browsers send before a page's request, with 204 (RFC 9110, sections 9.3.7
 * and 15.5.6).
 */
export const layer = Layer.effect(
  HttpRouter.HttpRouter,
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const toolServer = Option.getOrUndefined(Option.map(yield* Effect.serviceOption(Addresses), pathOf))
    const methods = makeMethods()

    const answer = Effect.fnUntraced(function* <E, R>({ handler, path }: HttpRouter.Route<E, R>) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const allowed = methods.of(request.url)
      if (allowed.length === 0) return yield* handler
      const allow = [...allowed, "OPTIONS"].join(", ")
      // The dashboard's pages have catch-all routes of their own. They are for people and not open to other pages.
      const isPage = path !== "/*"
      const isOpen = !isPage && !isAdminPath(request.url)
      if (request.method === "OPTIONS")
        return HttpServerResponse.empty({ headers: { allow, ...(isOpen ? Cors.preflight(allowed) : {}) } })
      const refusal = isPage ? yield* Effect.provideService(handler, AllowedMethods, allowed) : refuse(request, allowed)
      return HttpServerResponse.setStatus(HttpServerResponse.setHeader(refusal, "allow", allow), 405)
    })

    const noting = <E, R>(route: HttpRouter.Route<E, R>): HttpRouter.Route<E, R> => {
      if (route.method === "*") return { ...route, handler: answer(route) as typeof route.handler }
      // The GET route of the tool server answers 405 itself, to authenticated clients.
      const isRefused = route.method === "GET" && route.path === toolServer
      if (!isRefused) methods.note(route.method, route.path)
      return route
    }

    const addAll: HttpRouter.HttpRouter["addAll"] = (routes) => router.addAll(routes.map(noting)) as never
    return HttpRouter.HttpRouter.of({
      ...router,
      addAll,
      add: (method, path, handler, options) => addAll([HttpRouter.route(method, path, handler, options)]) as never
    })
  })
)
