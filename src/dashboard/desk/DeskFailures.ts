import { pageTexts, type TextName } from "../../brand/PageTexts.ts"
import type { Faults } from "../../pages/Field.ts"
import { type Content, text } from "../../pages/Html.ts"
import type { ApiFailure } from "../../platform/errors/ApiError.ts"

/** A failure of a service that a page can tell. */
export type Failure = Pick<ApiFailure, "status" | "detail"> & { readonly _tag: string }

type PlainName = Extract<TextName, `failure.${string}`>

const isPlain = (name: string): name is PlainName => Object.hasOwn(pageTexts, name)

const sentence = (detail: string) => (/[.!?]$/.test(detail) ? detail : `${detail}.`)

/** Says a failure to a person: in the words of the catalog, else in its own. */
const told = ({ _tag }: Failure, detail: string): Content => {
  const name = `failure.${_tag}`
  return isPlain(name) ? text(name) : sentence(detail)
}

/** What is wrong with a form after a failure of its service: with each field, or with the form as a whole. */
export const faultsOf = (failure: Failure): Faults => {
  const { detail } = failure
  // Not a copy of the failure: its tag belongs to its class.
  if (typeof detail === "string") return { "": told(failure, detail) }
  return Object.fromEntries(
    detail.map(({ loc: [part, name], msg }) => [part === "body" ? String(name ?? "") : "", sentence(msg)])
  )
}
