import { Schema } from "effect"

/** A check cannot tell, for example because a server does not answer. */
export class NotKnown extends Schema.TaggedError<NotKnown>()("NotKnown", { reason: Schema.String }) {}
