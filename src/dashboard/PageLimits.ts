import { Context, Effect, type Option } from "effect"
import { HttpRouter } from "effect/http"
import type { User } from "../accounts/User.ts"
import { tooManyRequests } from "./MessagePages.ts"
import { answer } from "./PageAnswer.ts"
import * as CountPageRequest from "./CountPageRequest.ts"

/** The person who is signed in in the browser that asks. */
export class SignedIn extends Context.Service<
  SignedIn,
  Option.Option<{ readonly user: User; readonly session_id: string }>
>()("app/dashboard/SignedIn") {}

/** Limits every page and form, and tells it who is signed in. */
export const middleware = HttpRouter.middleware<{ provides: SignedIn }>()(
  Effect.map(
    CountPageRequest.make,
    (counted) => (response) =>
      Effect.matchEffect(counted, {
        onFailure: (limited) => Effect.succeed(answer(429, tooManyRequests(limited))),
        onSuccess: (signedIn) => Effect.provideService(response, SignedIn, signedIn)
      })
  )
)
