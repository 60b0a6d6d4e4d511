import type { Config, Effect } from "effect"
import type { HttpClient } from "effect/http"
import type { Addresses } from "../platform/settings/Addresses.ts"
import type { DatabaseFacts } from "./DatabaseFacts.ts"
import type { ListedOffers } from "./ListedOffers.ts"
import type { NotKnown } from "./NotKnown.ts"
import type { VendorBalances } from "./VendorBalances.ts"

/** A `blocker` refuses the start of a service that takes real money. The others are only shown. */
export type Severity = "blocker" | "error" | "warning" | "note"

interface Failed {
  /** Says what is wrong and what to do. */
  readonly text: string
  /** Present when this failure weighs more or less than its check. */
  readonly severity?: Severity
}

type Needs = Addresses | DatabaseFacts | HttpClient.HttpClient | ListedOffers | VendorBalances

export interface Check {
  /** The name in the findings and in `DOCTOR_ALLOW`. It never changes. */
  readonly id: string
  readonly severity: Severity
  /** True when the check asks other machines. The start leaves it out. */
  readonly asksOutside?: true
  /** Returns undefined when all is well. A malformed setting makes the answer unknown. */
  readonly run: Effect.Effect<Failed | undefined, NotKnown | Config.ConfigError, Needs>
}

export const failed = (text: string, severity?: Severity): Failed => ({
  text,
  ...(severity !== undefined && { severity })
})

/** Turns the text of a failure into an answer; undefined when there is none. */
export const failedWith = (text: string | undefined): Failed | undefined =>
  text === undefined ? undefined : failed(text)
