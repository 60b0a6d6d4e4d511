import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { guidePage, guidesPage } from "../dashboard/help/GuidePages.ts"
import { type Guide, guides } from "../dashboard/help/Guides.ts"
import { readGuide } from "../dashboard/help/GuideText.ts"
import { pageNotFound } from "../pages/MessagePages.ts"
import { makeAnswer } from "../pages/PageAnswer.ts"
import * as PageCookies from "../pages/PageCookies.ts"
import * as PageFailures from "../pages/PageFailures.ts"
import * as PageLimits from "../pages/PageLimits.ts"
import { guidesPath } from "../pages/PagePaths.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import { choose, prepare, type Prepared } from "./PreparedResponse.ts"

/** Makes the function that writes the page of a guide, or the list of all guides. */
const makePage = Effect.gen(function* () {
  const addresses = yield* Addresses
  const { docs_url } = addresses
  return (guide: Guide | undefined) =>
    guide === undefined
      ? Effect.succeed(guidesPage(docs_url))
      : Effect.map(
          Effect.promise(() => readGuide(guide, addresses)),
          (text) => guidePage(guide, text, docs_url)
        )
})

/**
 * Makes the function that answers with a page of the guides. The first request in each language makes and compresses the
 * page for the lifetime of the process. It holds nothing of a request, so everybody gets the same bytes.
 */
const makeKept = Effect.gen(function* () {
  const answer = yield* makeAnswer
  const languageOf = yield* PageCookies.makeLanguage
  const pageOf = yield* makePage
  const kept = new Map<string, Prepared>()

  const make = Effect.fnUntraced(function* (guide: Guide | undefined, path: string) {
    const request = yield* HttpServerRequest.HttpServerRequest
    // Without its query: the page names its own address.
    const response = yield* answer(200, yield* pageOf(guide)).pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, request.modify({ url: path }))
    )
    const { "content-type": contentType = "", "content-length": _, ...headers } = response.headers
    return yield* Effect.promise(() =>
      prepare(response, { contentType, more: () => headers, vary: "Accept-Language, Cookie" })
    )
  })

  return Effect.fnUntraced(function* (guide: Guide | undefined) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const path = guide === undefined ? guidesPath : `${guidesPath}/${guide.name}`
    const key = `${yield* languageOf} ${path}`
    const found = kept.get(key) ?? (yield* make(guide, path))
    kept.set(key, found)
    return choose(found, request)
  })
})

/** The guides for customers, beside the documentation of the API. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const answer = yield* makeAnswer
    const kept = yield* makeKept

    yield* router.add("GET", guidesPath, kept(undefined))
    for (const guide of guides) yield* router.add("GET", `${guidesPath}/${guide.name}`, kept(guide))
    yield* router.add("GET", `${guidesPath}/:name`, answer(404, pageNotFound))
  })
).pipe(Layer.provide(PageLimits.middleware.combine(PageFailures.middleware).layer))
