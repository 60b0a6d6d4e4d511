import type { DateTime } from "effect"
import type { Announcement } from "../../announcements/Announcement.ts"
import type { Caller } from "../../accounts/Caller.ts"
import type { User } from "../../accounts/User.ts"
import type { Content, Html } from "../../pages/Html.ts"

interface FormOptions {
  readonly id?: string
  readonly class?: string
}

/** A request of a signed-in person for a page of the dashboard. */
export interface Visit {
  readonly user: User
  readonly session_id: string
  /** The money in the wallet, in micro-dollars. */
  readonly balance: bigint
  /** The number of unread notifications. */
  readonly unread: number
  /** True when the account may check addresses: the operator can switch the feature off. */
  readonly hasIpChecks: boolean
  /** The operator's announcements that stand for this account. */
  readonly announcements: ReadonlyArray<Announcement>
  readonly now: DateTime.Utc
  /** The query of the request. */
  readonly query: URLSearchParams
  /** The path of a page of the dashboard. `""` is the overview. */
  readonly pathTo: (name: string) => string
  /** The form that signs out. */
  readonly signOut: Html
  /** A form that changes something: it carries the token of this person and browser for this very address. */
  readonly form: (path: string, content: Content, options?: FormOptions) => Html
}

/** The purpose of a form's token (`Visitors`). */
export const purposeOf = (path: string, { id }: User): string => `${path}:${id}`

/** The signed-in person as the caller of a service. */
export const callerOf = ({ session_id, user }: Visit): Caller["Service"] => ({
  user_id: user.id,
  credential: { _tag: "session", session_id }
})
