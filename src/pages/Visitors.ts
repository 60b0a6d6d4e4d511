import { Context, Duration, Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { type BrowserCookies, BrowserSessions } from "../accounts/sessions/BrowserSessions.ts"
import { knownFor } from "../accounts/sessions/SignInPasses.ts"
import * as Secrets from "../platform/Secrets.ts"
import * as FormToken from "./FormToken.ts"
import * as PageCookies from "./PageCookies.ts"
import { SignedIn } from "./PageLimits.ts"
import * as Submissions from "./Submissions.ts"

export type { Submission } from "./Submissions.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The browser of a request, and the person signed in there. */
export interface Visitor {
  /** The secret of the browser's cookie. */
  readonly browser: string
  readonly browser_hash: string
  /** The cookie by which the last signed-in account recognises the browser (`SignInPasses`). */
  readonly known: string | undefined
  readonly signedIn: SignedIn["Service"]
  readonly formToken: (purpose: string) => string
}

const secret = /^[\w-]{43}$/

/** Reads and sets the cookies of the pages: a secret that identifies the browser, and the session of the person. */
export class Visitors extends Context.Service<Visitors>()("app/pages/Visitors", {
  make: Effect.gen(function* () {
    const read = yield* Submissions.make
    const sessions = yield* BrowserSessions
    const { secure, ...cookies } = yield* PageCookies.names
    const attributes = { httpOnly: true, path: "/", sameSite: "lax", secure } as const

    /**
     * Sets the cookies. The session cookie lasts as long as browsers allow, because the server ends the session. The browser
     * stays known after that.
     */
    const signIn = (response: Response, { known, session }: BrowserCookies) =>
      HttpServerResponse.setCookiesUnsafe(response, [
        [cookies.session, session, { ...attributes, maxAge: Duration.days(400) }],
        [cookies.known, known, { ...attributes, maxAge: knownFor }]
      ])

    const signOut = (response: Response) =>
      HttpServerResponse.setCookieUnsafe(response, cookies.session, "", { ...attributes, maxAge: Duration.zero })

    /** Ends the session of this browser. */
    const endSession = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const token = request.cookies[cookies.session]
      return token === undefined ? Effect.void : sessions.end(token)
    })

    /** Runs a handler with the visitor of the request. A new browser gets its cookie. */
    const page = <E, R>(handler: (visitor: Visitor) => Effect.Effect<Response, E, R>) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const known = request.cookies[cookies.browser]
        const isKnown = known !== undefined && secret.test(known)
        const browser = isKnown ? known : yield* Secrets.make("")
        const response = yield* handler({
          browser,
          browser_hash: Secrets.digest(browser),
          known: request.cookies[cookies.known],
          signedIn: yield* SignedIn,
          formToken: (purpose) => FormToken.make(browser, purpose)
        })
        return isKnown ? response : HttpServerResponse.setCookieUnsafe(response, cookies.browser, browser, attributes)
      })

    const submission = ({ browser }: Visitor, purpose: string) => read(browser, purpose)

    return { page, submission, signIn, signOut, endSession }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
