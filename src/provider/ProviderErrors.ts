import { Schema } from "effect"

const fields = {
  /** The `name` of the provider. */
  provider: Schema.String,
  /** For the log and the operator; contains no secret. */
  reason: Schema.String
}

/**
 * The provider refused the call for good and did nothing. Examples: out of stock, invalid request, no money left at the
 * provider. The caller does not repeat the call and refunds the customer.
 */
export class ProviderRefused extends Schema.TaggedError<ProviderRefused>()("ProviderRefused", fields) {
  override get message() {
    return `${this.provider}: ${this.reason}`
  }
}

/**
 * The provider cannot answer. A call that costs money certainly had no effect. The caller may repeat any call that
 * failed with this error.
 */
export class ProviderUnavailable extends Schema.TaggedError<ProviderUnavailable>()("ProviderUnavailable", fields) {
  override get message() {
    return `${this.provider}: ${this.reason}`
  }
}

/** The call may or may not have had an effect. The caller looks it up by its reference and never repeats it blindly. */
export class ProviderOutcomeUnknown extends Schema.TaggedError<ProviderOutcomeUnknown>()(
  "ProviderOutcomeUnknown",
  fields
) {
  override get message() {
    return `${this.provider}: ${this.reason}`
  }
}
