import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import * as PageLimit from "../platform/PageLimit.ts"
import { tooManyRequests } from "./MessagePages.ts"
import { answer } from "./PageAnswer.ts"

/** A cookie of `Visitors`. */
const session = /(?:^|[;\s])(?:__Host-)?session=/

/** Pages and forms count for the client's address, until a session shows whose they are (`Visitors`). */
export const layer = HttpRouter.middleware(
  Effect.map(
    PageLimit.make,
    ({ address }) =>
      (response) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
          Effect.matchEffect(address(session.test(headers["cookie"] ?? "") ? "claimant" : "stranger"), {
            onFailure: (limited) => Effect.succeed(answer(429, tooManyRequests(limited))),
            onSuccess: () => response
          })
        )
  )
).layer
