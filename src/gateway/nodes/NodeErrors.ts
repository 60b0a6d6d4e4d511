import { Schema } from "effect"

/** A change of a node that is not possible. */
export class NodeRefused extends Schema.TaggedError<NodeRefused>()("NodeRefused", { message: Schema.String }) {}
