import { Schema } from "effect"

/** The provider refused for good and did nothing: out of stock, bad request, no funds there. */
export class ProviderRefused extends Schema.TaggedError<ProviderRefused>()("ProviderRefused", {
  provider: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.provider}: ${this.reason}`
  }
}

/** The provider could not be reached and certainly did nothing: the call may be repeated. */
export class ProviderUnavailable extends Schema.TaggedError<ProviderUnavailable>()("ProviderUnavailable", {
  provider: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.provider}: ${this.reason}`
  }
}

/** The call may or may not have worked: look it up by reference, never repeat it blindly. */
export class ProviderOutcomeUnknown extends Schema.TaggedError<ProviderOutcomeUnknown>()("ProviderOutcomeUnknown", {
  provider: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.provider}: ${this.reason}`
  }
}
