import { HttpServerResponse } from "effect/http"
import type { ApiFailure } from "./ApiError.ts"

/** Answers a failure outside the declared operations with the documented body (docs/contract.md, "Errors"). */
export const errorAnswer = (
  { code, detail, details, status }: ApiFailure,
  headers: Readonly<Record<string, string>> = {}
) => HttpServerResponse.jsonUnsafe({ detail, code, ...(details === undefined ? {} : { details }) }, { status, headers })

/** Answers a request that cannot be read. */
export const badRequest = (detail: string) => errorAnswer({ status: 400, code: "BAD_REQUEST", detail })
