import { Effect, Schedule } from "effect"
import { FetchHttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { atConsent, redeem, authorizationResponse } from "../../dashboard/PagesTesting.ts"
import { request } from "../../support/TestServer.ts"

export const evil = "https://evil.example"

/** Posts a form as an app does. */
export const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  request("POST", path, {
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(fields).toString()
  })

/** An app that a person approved in a browser, and its tokens. */
export const connected = Effect.fnUntraced(function* (
  options: Parameters<typeof atConsent>[0] = {},
  decision: Record<string, string> = {}
) {
  const at = yield* atConsent(options)
  const { code = "" } = authorizationResponse(yield* at.browser.submit({ decision: "approve", ...decision }))
  const { body } = yield* redeem(at.client, code)
  return { ...at, code, access_token: body.access_token as string, refresh_token: body.refresh_token as string }
})

/** The number of live connections of an account. */
export const connectionsOf = Effect.fnUntraced(function* (user_id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    SELECT FROM oauth_connection c JOIN oauth_grant g ON g.id = c.grant_id
    WHERE g.user_id = ${user_id} AND c.revoked_at IS NULL`
  return rows.length
})

/** Sends a request without following its redirect. */
export const withoutFollowing = Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })

/** Repeats a query until its answer holds, 3,000 times at most: notifications of the database take time. */
export const soon = <A, E, R>(question: Effect.Effect<A, E, R>, isSo: (answer: A) => boolean) =>
  Effect.repeat(question, { until: isSo, schedule: Schedule.spaced("20 millis"), times: 3_000 })
