import { Schema } from "effect"
import { FlagName } from "./Flag.ts"

export class FlagUnknown extends Schema.TaggedError<FlagUnknown>()("FlagUnknown", { name: Schema.String }) {
  override get message() {
    return `There is no flag "${this.name}"; the flags are ${FlagName.literals.join(", ")}`
  }
}

export class FlagAccountUnknown extends Schema.TaggedError<FlagAccountUnknown>()("FlagAccountUnknown", {
  user_id: Schema.String
}) {
  override get message() {
    return `There is no account ${this.user_id}`
  }
}
