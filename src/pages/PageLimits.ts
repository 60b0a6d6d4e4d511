import { Context, Effect, type Option } from "effect"
import { HttpRouter } from "effect/http"
import type { User } from "../accounts/User.ts"
import { tooManyRequests } from "./MessagePages.ts"
import { makeAnswer } from "./PageAnswer.ts"
import * as CountPageRequest from "./CountPageRequest.ts"

/** The person who is signed in in the browser of the request. */
export class SignedIn extends Context.Service<
  SignedIn,
  Option.Option<{ readonly user: User; readonly session_id: string }>
>()("app/pages/SignedIn") {}

/** Limits requests for pages and forms, and provides the signed-in person to them. */
export const middleware = HttpRouter.middleware<{ provides: SignedIn }>()(
  Effect.map(
    Effect.all([makeAnswer, CountPageRequest.make]),
    ([answer, countRequest]) =>
      (response) =>
        Effect.matchEffect(countRequest, {
          onFailure: (limited) => answer(429, tooManyRequests(limited)),
          onSuccess: (signedIn) => Effect.provideService(response, SignedIn, signedIn)
        })
  )
)
