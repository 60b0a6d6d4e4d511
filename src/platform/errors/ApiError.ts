import type { Cause } from "effect"
import { Effect, Schema } from "effect"
import type { Fault } from "./RequestInvalid.ts"

/**
 * Errors have three names in every folder:
 * - A *fault* is one wrong thing in a request. A 422 lists all faults of its request (`Fault`).
 * - A *failure* is an expected error. It has a type, a status and a documented body (`ApiError`).
 * - A *defect* is a bug. The service logs it with its stack and answers 500 (`RequestDefect`).
 *
 * This is the status and the body of a failure.
 */
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
  /** Names the problem and tells the reader of the response what to do about it. */
  readonly detail: string
  /** An example of `detail`, when the actual texts are more specific than `detail` above. */
  readonly example?: string
  /** A machine code that is more precise than the status. */
  readonly code?: "INSUFFICIENT_SCOPE" | "FEATURE_DISABLED"
}

/**
 * Declares a failure together with its status and its body, `{ detail, code, details? }` (docs/contract.md, "Errors").
 * The tag names the failure inside the program and is not in the body.
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
