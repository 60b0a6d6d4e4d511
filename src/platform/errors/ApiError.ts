import type { Cause } from "effect"
import { Effect, Schema } from "effect"
import type { Fault } from "./RequestInvalid.ts"

/** What every error of the API says on the wire, and its status. */
export interface ApiFailure {
  readonly status: number
  readonly code: string
  readonly detail: string | ReadonlyArray<Fault>
  readonly details?: { readonly [key: string]: Schema.Json }
}

type ErrorClass<Self, Tag extends string, Fields extends Schema.Struct.Fields> = Schema.Class<
  Self,
  Schema.Struct<Fields>,
  Cause.YieldableError & { readonly _tag: Tag; readonly status: Spec["status"]; readonly code: string }
>

type Detail = Schema.withConstructorDefault<Schema.String>

const codes = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
  413: "VALIDATION_ERROR",
  422: "VALIDATION_ERROR",
  429: "RATE_LIMITED",
  500: "INTERNAL_ERROR",
  503: "SERVICE_UNAVAILABLE"
} as const

interface Spec {
  readonly status: keyof typeof codes
  /** What went wrong and what to do about it, for the person who reads the answer. */
  readonly detail: string
  /** A text of `detail`, where the texts that are answered say more than the one above. */
  readonly example?: string
  /** The machine code, where it is more precise than the status. */
  readonly code?: "INSUFFICIENT_SCOPE" | "FEATURE_DISABLED"
}

/**
 * Declares a typed error together with the status and body it answers with:
 * `{ detail, code, details? }` (specification section 7.1). The tag names the
 * error inside the program and stays off the wire.
 */
export const ApiError =
  <Self>(): {
    <const Tag extends string>(tag: Tag, spec: Spec): ErrorClass<Self, Tag, { readonly detail: Detail }>
    <const Tag extends string, const Details extends Schema.Struct.Fields>(
      tag: Tag,
      spec: Spec,
      details: Details
    ): ErrorClass<Self, Tag, { readonly detail: Detail; readonly details: Schema.Struct<Details> }>
  } =>
  (tag: string, spec: Spec, details?: Schema.Struct.Fields) => {
    const code = spec.code ?? codes[spec.status]
    const Base = Schema.Error<object>(tag)(
      {
        detail: Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed(spec.detail))).annotate({
          examples: [spec.example ?? spec.detail]
        }),
        code: Schema.tag(code),
        ...(details === undefined ? {} : { details: Schema.Struct(details) })
      },
      { httpApiStatus: spec.status, description: spec.detail }
    )
    Object.defineProperty(Base.prototype, "_tag", { value: tag })
    Object.defineProperty(Base.prototype, "status", { value: spec.status })
    return Base as never
  }
