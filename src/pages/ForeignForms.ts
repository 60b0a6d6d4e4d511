import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import * as FormOrigin from "./FormOrigin.ts"
import { foreignForm } from "./MessagePages.ts"
import { makeAnswer } from "./PageAnswer.ts"

/**
 * Refuses the forms of other sites before a page reads them: nothing is done, and the answer repeats none of their fields,
 * which the person could otherwise send as an own form.
 */
export const middleware = HttpRouter.middleware(
  Effect.map(
    Effect.all([makeAnswer, FormOrigin.make]),
    ([answer, originOf]) =>
      (response) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
          request.method === "POST" && originOf(request) === "elsewhere" ? answer(403, foreignForm) : response
        )
  )
)
