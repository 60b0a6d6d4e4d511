import { Schema } from "effect"
import { type Content, html, text } from "../../pages/Html.ts"
import type { AdminVisit } from "./AdminVisit.ts"

/** A part of a list on a page. `next` is the id after which the next part begins; null on the last one. */
export interface Part<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | null
}

const isId = Schema.is(Schema.String.check(Schema.isUUID()))

/** The id in the query of a page after which the part of a list begins. */
export const afterOf = ({ query }: AdminVisit, name: string): string | undefined => {
  const after = query.get(name)
  return isId(after) ? after : undefined
}

/** The link to the next part of a list. The query of the page names where the list goes on. */
export const nextLink = ({ pathTo }: AdminVisit, path: string, name: string, { next }: Part<unknown>): Content =>
  next !== null &&
  html`<p>
    <a class="button small" href="${pathTo(path)}?${new URLSearchParams({ [name]: next }).toString()}"
      >${text("admin.next_page")}</a
    >
  </p>`
