import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as LimitCallers from "../accounts/authentication/LimitCallers.ts"
import { Visitor } from "../accounts/Authentication.ts"
import { Api } from "../Api.ts"
import { RecentMap } from "../platform/RecentMap.ts"
import { type ReadyAnswer, ReadyAnswers } from "../platform/requests/ReadyAnswers.ts"
import { Catalog, type EncodedAnswer } from "./Catalog.ts"
import { filtersByLocation } from "./CatalogFilter.ts"
import * as EntityTag from "./EntityTag.ts"

const urlsAtMost = 500

interface Kept extends ReadyAnswer {
  readonly isCurrent: EncodedAnswer["isCurrent"]
}

const headersOf = ({ etag }: EncodedAnswer) => ({ etag, "cache-control": "no-cache" })

/** Keeps answers of the present catalog for the last 500 URLs. */
const makeKept = () => {
  const kept = new RecentMap<string, Kept>(urlsAtMost)
  /** Each answer of an earlier catalog would hold that whole catalog in memory. */
  const dropEarlier = () => {
    for (const [url, { isCurrent }] of kept) {
      if (isCurrent()) break
      kept.delete(url)
    }
  }
  return {
    find: (url: string) => {
      const found = kept.get(url)
      return found?.isCurrent() === true ? found : undefined
    },
    keep: (url: string, answer: EncodedAnswer) => {
      dropEarlier()
      if (kept.has(url)) return
      const unchangedHead = Object.entries(headersOf(answer)).flat()
      kept.set(url, { ...answer, head: [...unchangedHead, "content-type", "application/json"], unchangedHead })
    }
  }
}

export const layer = HttpApiBuilder.group(
  Api,
  "catalog",
  Effect.fnUntraced(function* (handlers) {
    const catalog = yield* Catalog
    const { limitAddressAt } = yield* LimitCallers.make
    const { find, keep } = makeKept()

    const readyAnswers = yield* ReadyAnswers
    yield* readyAnswers.add((request, now) => {
      const answer = find(request.url ?? "")
      const added = answer && limitAddressAt(request, now)
      return added && { answer, added }
    })

    // A raw handler sends the stored bytes without encoding them again.
    return handlers.handleRaw(
      "listOffers",
      Effect.fnUntraced(function* ({ headers: { "if-none-match": ifNoneMatch }, query, request }) {
        const answer = yield* catalog.answer(query, yield* Visitor)
        const { body, etag } = answer
        // A flag can switch off the filters by location.
        if (answer.isCurrent() && !filtersByLocation(query)) keep(request.url, answer)
        const headers = headersOf(answer)
        return ifNoneMatch !== undefined && EntityTag.isNamedBy(etag, ifNoneMatch)
          ? HttpServerResponse.empty({ status: 304, headers })
          : HttpServerResponse.uint8Array(body, { headers, contentType: "application/json" })
      })
    )
  })
)
