import { Effect, Layer } from "effect"
import { McpServer } from "effect/ai"
import { type Reference, references } from "../rpc/References.ts"

const mimeType = "application/json"

const resource = ({ description, name, uri, values }: Reference) =>
  McpServer.resource({
    uri,
    name,
    description,
    mimeType,
    content: Effect.succeed({ contents: [{ uri, mimeType, text: JSON.stringify(values) }] })
  })

const [first, ...others] = references.map(resource)

/** The lists of values that a client can read as resources (docs/contract.md, "Tool server"). */

export const layer = Layer.mergeAll(first ?? Layer.empty, ...others)
