import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"

export class RuleNotFound extends ApiError<RuleNotFound>()("RuleNotFound", {
  status: 404,
  detail: "There is no such rule"
}) {}

export class RuleRefused extends ApiError<RuleRefused>()(
  "RuleRefused",
  { status: 409, detail: "The rule was not placed; details.why says why" },
  { reason: Schema.tag("rule_refused"), why: Schema.String.annotate({ examples: ["The article none is unknown"] }) }
) {}
