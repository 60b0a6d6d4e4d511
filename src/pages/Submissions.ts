import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import * as FormText from "../platform/fields/FormText.ts"
import * as FormOrigin from "./FormOrigin.ts"
import * as FormToken from "./FormToken.ts"

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

/** Browsers send CRLF for each line break (WHATWG HTML, form submission). Elsewhere a line break is LF. */
const withLineFeeds = (text: string) => text.replaceAll("\r\n", "\n")

/** Makes the function that reads the form of a request. `browser` is the secret with which the page made the form's token. */
export const make = Effect.map(FormOrigin.make, (originOf) =>
  Effect.fnUntraced(function* (browser: string, purpose: string) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const sent = FormText.parse(yield* Effect.orDie(request.text))
    const origin = originOf(request)
    const isGenuine = origin !== "elsewhere" && FormToken.isRight(browser, purpose, sent.get("form_token") ?? "")
    const fields = new URLSearchParams(
      isGenuine || origin === "here" ? [...sent].map(([name, text]) => [name, withLineFeeds(text)]) : []
    )
    const field = (name: string) => fields.get(name) || undefined
    const all = (name: string) => fields.getAll(name).filter((text) => text !== "")
    const typed = [...fields].filter(([name]) => !/^(form_token|otp|ticket|credential)$|password/.test(name))
    return { all, field, typed, isGenuine } satisfies Submission
  })
)
