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

/** A submitted form. */
export interface Submission {
  /** Returns the text of a field; undefined when it is empty. */
  readonly field: (name: string) => string | undefined
  /** Returns the texts of all fields of a name, without empty ones. */
  readonly all: (name: string) => ReadonlyArray<string>
  /** What a person typed: every field except the token, passwords, codes of the second factor and passkeys. */
  readonly typed: ReadonlyArray<readonly [name: string, value: string]>
  /** True when a page of this service sent the form, from this browser and for this purpose. */
  readonly isGenuine: boolean
}

const secret = /^[\w-]{43}$/

const isAbsentOr = (value: string | undefined, accepted: ReadonlyArray<string>) =>
  value === undefined || accepted.includes(value)

/**
 * Checks the origin that the browser reports for a form. The `Referrer-Policy` of the pages makes browsers send
 * `Origin: null` with the service's own forms, so the form tokens are needed too.
 */
const isFromHere = ({ headers }: Request, origin: string) =>
  isAbsentOr(headers["sec-fetch-site"], ["same-origin", "none"]) &&
  isAbsentOr(headers["origin"], ["null", origin, `http://${headers["host"]}`, `https://${headers["host"]}`])

/** Reads and sets the cookies of the pages: a secret that identifies the browser, and the session of the person. */
export class Visitors extends Context.Service<Visitors>()("app/pages/Visitors", {
  make: Effect.gen(function* () {
    const { origin } = new URL((yield* Addresses).app_url)
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

    const submission = Effect.fnUntraced(function* ({ browser }: Visitor, purpose: string) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const fields = FormText.parse(yield* Effect.orDie(request.text))
      const field = (name: string) => fields.get(name) || undefined
      const all = (name: string) => fields.getAll(name).filter((text) => text !== "")
      const typed = [...fields].filter(([name]) => !/^(form_token|otp|ticket|credential)$|password/.test(name))
      const isGenuine = isFromHere(request, origin) && FormToken.isRight(browser, purpose, field("form_token") ?? "")
      return { all, field, typed, isGenuine } satisfies Submission
    })

    return { page, submission, signIn, signOut, endSession }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
