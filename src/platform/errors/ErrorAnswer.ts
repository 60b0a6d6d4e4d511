import { HttpServerResponse } from "effect/http"
import type { ApiFailure } from "./ApiError.ts"

/** The documented answer of a failure (specification section 7.1), for what stands before the declared operations. */
export const errorAnswer = (
  { code, detail, details, status }: ApiFailure,
  headers: Readonly<Record<string, string>> = {}
) => HttpServerResponse.jsonUnsafe({ detail, code, ...(details === undefined ? {} : { details }) }, { status, headers })

/** The answer to a request that cannot be read. */
export const badRequest = (detail: string) => errorAnswer({ status: 400, code: "BAD_REQUEST", detail })
