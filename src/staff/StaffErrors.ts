import { Schema } from "effect"
import { ApiError } from "../platform/errors/ApiError.ts"

export class ActionKeyReused extends ApiError<ActionKeyReused>()(
  "ActionKeyReused",
  { status: 409, detail: "This Idempotency-Key was used for another action; use a new key" },
  { reason: Schema.tag("idempotency_key_reused") }
) {}

export class StepUpNeeded extends ApiError<StepUpNeeded>()(
  "StepUpNeeded",
  { status: 403, detail: "Confirm with your password and a code; tokens cannot do this" },
  { reason: Schema.tag("step_up_needed") }
) {}
