import { Effect, Schema } from "effect"
import { ProviderOutcomeUnknown, ProviderRefused, ProviderUnavailable } from "../ProviderErrors.ts"

/**
 * The failure of a call to a vendor's API. `not_executed`: the call certainly had no effect and may be repeated.
 * `refused`: the call had no effect, and a repeated call has none either. `unknown`: the call may have had an effect.
 */
export class VendorFailure extends Schema.TaggedError<VendorFailure>()("VendorFailure", {
  outcome: Schema.Literals(["not_executed", "refused", "unknown"]),
  /** For the log and the operator; contains no secret of ours. */
  reason: Schema.String
}) {}

/** The reason of a call that failed because the vendor refuses the key. */
export const accessRefused = "the vendor refuses access"

export const refused = (reason: string) => new VendorFailure({ outcome: "refused", reason })
/** A failure whose outcome a later look-up decides. */
export const pending = (reason: string) => new VendorFailure({ outcome: "unknown", reason })

const maxMessage = 200

/** Quotes a vendor's message on one line, cut to 200 characters, without control characters. */
export const quoted = (message: string): string =>
  `the vendor says: ${message
    .slice(0, maxMessage)
    .replace(/[\p{C}\s]+/gu, " ")
    .trim()}`

type Failing<A, R> = Effect.Effect<A, VendorFailure, R>

/** Maps the failure of a billed call to the provider's errors. */
export const asBought = (provider: string) =>
  Effect.mapError(({ outcome, reason }: VendorFailure) => {
    if (outcome === "refused") return new ProviderRefused({ provider, reason })
    if (outcome === "not_executed") return new ProviderUnavailable({ provider, reason })
    return new ProviderOutcomeUnknown({ provider, reason })
  })

/** Maps the failure of a free change, which may be repeated after any outcome. */
export const asChanged = (provider: string) =>
  Effect.mapError(({ outcome, reason }: VendorFailure) =>
    outcome === "refused" ? new ProviderRefused({ provider, reason }) : new ProviderUnavailable({ provider, reason })
  )

/** Maps the failure of a read. */
export const asAnswered = (provider: string) =>
  Effect.mapError(({ reason }: VendorFailure) => new ProviderUnavailable({ provider, reason }))

/** Makes the outcome of every failure unknown. For steps after a purchase: a failed step does not undo it. */
export const afterPurchase = <A, R>(effect: Failing<A, R>): Failing<A, R> =>
  Effect.mapError(effect, ({ reason }) => new VendorFailure({ outcome: "unknown", reason }))
