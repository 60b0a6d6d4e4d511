import { Effect, Schema } from "effect"
import { ProviderOutcomeUnknown, ProviderRefused, ProviderUnavailable } from "./ProviderErrors.ts"

/**
 * A call of a vendor's API that did not do what it was for. `not_executed`: it certainly did nothing and may be
 * repeated; `refused`: nor will it ever; `unknown`: it may have worked. The reason holds no secret of ours.
 */
export class VendorFault extends Schema.TaggedError<VendorFault>()("VendorFault", {
  outcome: Schema.Literals(["not_executed", "refused", "unknown"]),
  reason: Schema.String
}) {}

export const refused = (reason: string) => new VendorFault({ outcome: "refused", reason })
export const pending = (reason: string) => new VendorFault({ outcome: "unknown", reason })

const maxMessage = 200

/** A vendor's own words, as they can be stored and shown. */
export const quoted = (message: string): string =>
  `the vendor says: ${message
    .slice(0, maxMessage)
    .replace(/[\p{C}\s]+/gu, " ")
    .trim()}`

type Faulty<A, R> = Effect.Effect<A, VendorFault, R>

/** Of something billed. */
export const asBought = (provider: string) =>
  Effect.mapError(({ outcome, reason }: VendorFault) => {
    if (outcome === "refused") return new ProviderRefused({ provider, reason })
    if (outcome === "not_executed") return new ProviderUnavailable({ provider, reason })
    return new ProviderOutcomeUnknown({ provider, reason })
  })

/** Of something free, which may be repeated whatever became of it. */
export const asChanged = (provider: string) =>
  Effect.mapError(({ outcome, reason }: VendorFault) =>
    outcome === "refused" ? new ProviderRefused({ provider, reason }) : new ProviderUnavailable({ provider, reason })
  )

/** Of a question. */
export const asAnswered = (provider: string) =>
  Effect.mapError(({ reason }: VendorFault) => new ProviderUnavailable({ provider, reason }))

/** What comes after a purchase leaves open what became of it, whatever it ran into. */
export const afterPurchase = <A, R>(effect: Faulty<A, R>): Faulty<A, R> =>
  Effect.mapError(effect, ({ reason }) => new VendorFault({ outcome: "unknown", reason }))
