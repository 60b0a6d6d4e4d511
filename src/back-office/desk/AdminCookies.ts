import { Duration, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Secrets from "../../platform/Secrets.ts"
import { AdminUrl } from "../../platform/settings/Addresses.ts"

type Response = HttpServerResponse.HttpServerResponse

const session = /^pss_[\w-]{43}$/
const browser = /^[\w-]{43}$/

const read = (name: string, shape: RegExp) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ cookies }) => {
    const value = cookies[name]
    return value !== undefined && shape.test(value) ? value : undefined
  })

/**
 * Makes the functions that read and set the cookies of the back office: the session, and a secret that proves the forms of a
 * browser without a session. They are apart, because a link from elsewhere brings no cookie: its answer must not replace the
 * session.
 */
export const make = Effect.map(AdminUrl, (adminUrl) => {
  const secure = new URL(adminUrl).protocol === "https:"
  const names = secure
    ? { session: "__Host-staff", browser: "__Host-staff-browser" }
    : { session: "staff", browser: "staff-browser" }
  const attributes = { httpOnly: true, path: "/", sameSite: "strict", secure } as const
  const set = (response: Response, name: string, value: string, maxAge?: Duration.Duration) =>
    HttpServerResponse.setCookieUnsafe(response, name, value, {
      ...attributes,
      ...(maxAge !== undefined && { maxAge })
    })

  return {
    /** The secret of the session, also of one that waits for a code; undefined without one. */
    session: read(names.session, session),
    /** Keeps a session until the browser ends; the server ends it earlier. */
    signIn: (response: Response, secret: string) => set(response, names.session, secret),
    signOut: (response: Response) => set(response, names.session, "", Duration.zero),
    /** Runs a handler with the secret of the browser. A new browser gets its cookie. */
    withBrowser: <E, R>(handler: (secret: string) => Effect.Effect<Response, E, R>) =>
      Effect.gen(function* () {
        const known = yield* read(names.browser, browser)
        const secret = known ?? (yield* Secrets.make(""))
        const response = yield* handler(secret)
        return known === undefined ? set(response, names.browser, secret) : response
      })
  }
})
