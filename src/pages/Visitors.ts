import { Context, Duration, Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { type BrowserCookies, BrowserSessions } from "../accounts/sessions/BrowserSessions.ts"
import { knownFor } from "../accounts/sessions/SignInPasses.ts"
import * as FormText from "../platform/fields/FormText.ts"
import * as Secrets from "../platform/Secrets.ts"
import * as FormOrigin from "./FormOrigin.ts"
import * as FormToken from "./FormToken.ts"
import * as PageCookies from "./PageCookies.ts"
import { SignedIn } from "./PageLimits.ts"

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

/** A submitted form. It has no fields unless a page of this service surely sent it: other people's texts are not shown again. */
export interface Submission {
  /** Returns the text of a field; undefined when it is empty. */
  readonly field: (name: string) => string | undefined
  /** Returns the texts of all fields of a name, without empty ones. */
  readonly all: (name: string) => ReadonlyArray<string>
  /** The typed fields: all except the token, passwords, codes of the second factor and passkeys. */
  readonly typed: ReadonlyArray<readonly [name: string, value: string]>
  /** True when a page of this service sent the form, from this browser and for this purpose. */
  readonly isGenuine: boolean
}

const secret = /^[\w-]{43}$/

/** Reads and sets the cookies of the pages: a secret that identifies the browser, and the session of the person. */
export class Visitors extends Context.Service<Visitors>()("app/pages/Visitors", {
  make: Effect.gen(function* () {
    const originOf = yield* FormOrigin.make
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
      const sent = FormText.parse(yield* Effect.orDie(request.text))
      const origin = originOf(request)
      const isGenuine = origin !== "elsewhere" && FormToken.isRight(browser, purpose, sent.get("form_token") ?? "")
      const fields = isGenuine || origin === "here" ? sent : new URLSearchParams()
      const field = (name: string) => fields.get(name) || undefined
      const all = (name: string) => fields.getAll(name).filter((text) => text !== "")
      const typed = [...fields].filter(([name]) => !/^(form_token|otp|ticket|credential)$|password/.test(name))
      return { all, field, typed, isGenuine } satisfies Submission
    })

    return { page, submission, signIn, signOut, endSession }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
