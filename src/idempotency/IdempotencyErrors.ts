import { Schema } from "effect"
import { ApiError } from "../platform/errors/ApiError.ts"

export class IdempotencyKeyReused extends ApiError<IdempotencyKeyReused>()(
  "IdempotencyKeyReused",
  { status: 409, detail: "This idempotency key was used with a different request; use a new key" },
  { reason: Schema.tag("idempotency_key_reused") }
) {}

export class RequestStillRunning extends ApiError<RequestStillRunning>()(
  "RequestStillRunning",
  {
    status: 409,
    detail: "The first request with this idempotency key is still running; repeat the request in a moment"
  },
  { reason: Schema.tag("request_still_running") }
) {}
