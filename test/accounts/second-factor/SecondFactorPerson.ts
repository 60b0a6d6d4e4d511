import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { request } from "../../support/TestServer.ts"
import { newPerson, password } from "../AccountsServer.ts"
import { path, verifyEmail } from "./SecondFactorTesting.ts"

/** A person with a verified email and a session, and the calls of the second factor with this session. */
export const person = Effect.gen(function* () {
  // The clock of the tests starts in 1970, where there is no step before the first.
  yield* TestClock.adjust("1 hour")
  const signedUp = yield* newPerson
  yield* verifyEmail(signedUp.user.id)
  const { access_token: user, email } = signedUp
  const login = (body: object = {}) =>
    Effect.map(request("POST", "/v1/auth/login", { body: { email, password, ...body } }), ({ body, status }) => ({
      status,
      reason: body.details?.reason as string | undefined,
      user: body.access_token as string
    }))
  const call = (method: "POST" | "DELETE" | "GET", at: string, body?: object) =>
    Effect.map(request(method, `${path}${at}`, { user, ...(body !== undefined && { body }) }), ({ body, status }) => ({
      status,
      reason: body?.details?.reason as string | undefined,
      body
    }))
  const state = Effect.map(call("GET", ""), ({ body }) => [body.enabled_at !== null, body.recovery_codes_left])
  return { ...signedUp, id: signedUp.user.id, user, login, call, state }
})
