import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Totp from "../../../src/accounts/second-factor/Totp.ts"
import { request } from "../../support/TestServer.ts"

export const path = "/v1/users/me/second-factor"

/** The code that an authenticator app shows now, or some steps later. */
export const codeOf = (secret: string, later = 0) =>
  Effect.map(Clock.currentTimeMillis, (now) => Totp.codeOf(secret, Totp.stepOf(now) + later))

export const verifyEmail = (user_id: string) =>
  SqlClient.SqlClient.use((sql) => sql`UPDATE user_account SET email_verified = true WHERE id = ${user_id}`)

/** Turns the second factor of a verified account on; returns its secret and its recovery codes. It uses up the present code. */
export const turnOn = Effect.fnUntraced(function* (user: string, password: string) {
  const begun = yield* request("POST", path, { user, body: { password } })
  const secret: string = begun.body.secret
  const on = yield* request("POST", `${path}/confirm`, { user, body: { otp: yield* codeOf(secret) } })
  return { secret, codes: on.body.recovery_codes as ReadonlyArray<string>, begun, on }
})
