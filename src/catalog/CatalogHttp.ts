import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Visitor } from "../accounts/Authentication.ts"
import { Api } from "../Api.ts"
import { Catalog } from "./Catalog.ts"
import * as EntityTag from "./EntityTag.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "catalog",
  Effect.fnUntraced(function* (handlers) {
    const catalog = yield* Catalog

    // A raw handler sends the stored bytes without encoding them again.
    return handlers.handleRaw(
      "listOffers",
      Effect.fnUntraced(function* ({ headers: { "if-none-match": ifNoneMatch }, query }) {
        const { body, etag } = yield* catalog.answer(query, yield* Visitor)
        const headers = { etag, "cache-control": "no-cache" }
        return ifNoneMatch !== undefined && EntityTag.isNamedBy(etag, ifNoneMatch)
          ? HttpServerResponse.empty({ status: 304, headers })
          : HttpServerResponse.uint8Array(body, { headers, contentType: "application/json" })
      })
    )
  })
)
