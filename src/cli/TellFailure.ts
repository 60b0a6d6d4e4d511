import { Effect, Schema } from "effect"
import type { ApiFailure } from "../platform/errors/ApiError.ts"

class Refused extends Schema.TaggedError<Refused>()("Refused", { message: Schema.String }) {}

const textOf = (detail: ApiFailure["detail"]) =>
  typeof detail === "string" ? detail : detail.map(({ loc, msg }) => `${loc.at(-1)}: ${msg}`).join("; ")

/** Says a failure of a service of the API as the failure of a command. */
export const tellFailure = <A, R>(
  effect: Effect.Effect<A, Pick<ApiFailure, "detail">, R>
): Effect.Effect<A, Refused, R> => Effect.mapError(effect, ({ detail }) => new Refused({ message: textOf(detail) }))
