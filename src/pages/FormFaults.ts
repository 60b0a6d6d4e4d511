import { pageTexts, type TextName } from "../brand/PageTexts.ts"
import type { Faults } from "./Field.ts"
import { type Content, text } from "./Html.ts"
import { tryAgainIn } from "./MessagePages.ts"
import type { ApiFailure } from "../platform/errors/ApiError.ts"
import { RateLimited } from "../platform/requests/RateLimit.ts"

/** A failure of a service that a page can tell. */
export type Failure = Pick<ApiFailure, "status" | "detail"> & {
  readonly _tag: string
  /** The field of the form that caused it, when a page knows. */
  readonly field?: string
}

type PlainName = Exclude<Extract<TextName, `failure.${string}`>, "failure.RateLimited">

const isPlain = (name: string): name is PlainName => Object.hasOwn(pageTexts, name)

const sentence = (detail: string) => (/[.!?]$/.test(detail) ? detail : `${detail}.`)

/** Says a failure to a person: in the words of the catalog, else in its own. */
const told = (failure: Failure, detail: string): Content => {
  if (failure instanceof RateLimited) return text("failure.RateLimited", { when: tryAgainIn(failure) })
  const name = `failure.${failure._tag}`
  return isPlain(name) ? text(name) : sentence(detail)
}

/** What is wrong with a form after a failure of its service: with each field, or with the form as a whole. */
export const faultsOf = (failure: Failure): Faults => {
  const { detail, field = "" } = failure
  if (typeof detail === "string") return { [field]: told(failure, detail) }
  return Object.fromEntries(
    detail.map(({ loc: [part, name], msg }) => [part === "body" ? String(name ?? "") : "", sentence(msg)])
  )
}
