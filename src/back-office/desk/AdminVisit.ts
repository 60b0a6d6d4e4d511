import type { DateTime } from "effect"
import type { Content, Html } from "../../pages/Html.ts"
import type { Actor } from "../../staff/Actor.ts"

/** A request of a signed-in staff member for a page of the back office. */
export interface AdminVisit {
  readonly actor: Actor["Service"]
  readonly now: DateTime.Utc
  /** The query of the request. */
  readonly query: URLSearchParams
  /** The path of a page of the back office; `""` is the overview. */
  readonly pathTo: (name: string) => `/${string}`
  /** A form that changes something: it carries the token of this session for this very address. */
  readonly form: (path: string, content: Content) => Html
}
