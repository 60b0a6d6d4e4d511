import { Context, Duration, Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { type BrowserCookies, BrowserSessions } from "../accounts/sessions/BrowserSessions.ts"
import { knownFor } from "../accounts/sessions/SignInPasses.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import * as FormText from "../platform/fields/FormText.ts"
import * as Secrets from "../platform/Secrets.ts"
import * as FormToken from "./FormToken.ts"
import * as PageCookies from "./PageCookies.ts"
import { SignedIn } from "./PageLimits.ts"

type Response = HttpServerResponse.HttpServerResponse
type Request = HttpServerRequest.HttpServerRequest

/** The browser that a request came from, and who is signed in there. */
export interface Visitor {
  /** The secret of the browser's cookie. */
  readonly browser: string
  readonly browser_hash: string
  /** The cookie by which the account that signed in last knows the browser (`SignInPasses`). */
  readonly known: string | undefined
  readonly signedIn: SignedIn["Service"]
  readonly formToken: (purpose: string) => string
}

/** A form as it was sent. */
export interface Submission {
  /** A text that was left empty is absent. */
  readonly field: (name: string) => string | undefined
  /** Whether one of this service's own pages sent it, from this browser and for this purpose. */
  readonly isGenuine: boolean
}

const secret = /^[\w-]{43}$/

const isAbsentOr = (value: string | undefined, accepted: ReadonlyArray<string>) =>
  value === undefined || accepted.includes(value)

/**
 * What browsers themselves say of where a form comes from. The pages' `Referrer-Policy` makes them send `Origin: null`
 * with the service's own forms, hence the form tokens.
 */
const isFromHere = ({ headers }: Request, origin: string) =>
  isAbsentOr(headers["sec-fetch-site"], ["same-origin", "none"]) &&
  isAbsentOr(headers["origin"], ["null", origin, `http://${headers["host"]}`, `https://${headers["host"]}`])

/** The cookies of the pages: a secret that tells browsers apart, and the session of who signed in. */
export class Visitors extends Context.Service<Visitors>()("app/dashboard/Visitors", {
  make: Effect.gen(function* () {
    const { origin } = new URL((yield* Addresses).app_url)
    const sessions = yield* BrowserSessions
    const { secure, ...cookies } = yield* PageCookies.names
    const attributes = { httpOnly: true, path: "/", sameSite: "lax", secure } as const

    /** For as long as browsers keep a cookie: the session itself ends on the server. The browser stays known after it. */
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

    /** A page, or a form's answer, for the browser that asks; one that is seen for the first time gets its cookie. */
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

    const submission = Effect.fnUntraced(function* ({ browser }: Visitor, purpose: string) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const fields = FormText.parse(yield* Effect.orDie(request.text))
      const field = (name: string) => fields.get(name) || undefined
      const isGenuine = isFromHere(request, origin) && FormToken.isRight(browser, purpose, field("form_token") ?? "")
      return { field, isGenuine } satisfies Submission
    })

    return { page, submission, signIn, signOut, endSession }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
