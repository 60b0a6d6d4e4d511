import { Context, Effect, Option, Schema } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Hints } from "../rpc/ToolAnnotations.ts"
import type { Tool } from "./RpcTools.ts"
import type { ToolAnswer } from "./ToolAnswer.ts"

/** A call without metadata and other fields that only the protocol's server understands. */
const Call = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  id: Schema.Union([Schema.String, Schema.Finite]),
  method: Schema.Literal("tools/call"),
  params: Schema.Struct({
    name: Schema.String,
    arguments: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
  })
})

const decode = Schema.decodeUnknownOption(Call, { onExcessProperty: "error" })

const end = Buffer.from("}\n")

/** True when a request has the headers that clients usually send; the protocol's server judges any others. */
const isUsual = ({ headers }: HttpServerRequest.HttpServerRequest, revision: string) =>
  headers["content-type"] === "application/json" &&
  headers["accept"] === "application/json, text/event-stream" &&
  (headers["mcp-protocol-version"] ?? revision) === revision

const encode = ({ content, isError, structuredContent }: ToolAnswer, isStructured: boolean) =>
  Buffer.from(JSON.stringify(isStructured ? { content, structuredContent, isError } : { content, isError }))

/**
 * Answers calls of tools that only read, in a session, as the framework's server of the protocol does, byte for byte. That
 * server takes more than twice as long, because a client can cancel its calls; these calls run to their end. Returns
 * undefined for every other message, and for requests with unusual headers.
 */
export const make = (tools: ReadonlyMap<string, Tool>) => {
  /** The encoded answers, with structured content and without. They live as long as the answer, which a tool may keep. */
  const [structured, plain] = [new WeakMap<ToolAnswer, Buffer>(), new WeakMap<ToolAnswer, Buffer>()]

  const resultOf = (answer: ToolAnswer, revision: string) => {
    const isStructured = revision >= "2025-06-18"
    const known = isStructured ? structured : plain
    const result = known.get(answer) ?? encode(answer, isStructured)
    known.set(answer, result)
    return result
  }

  return (request: HttpServerRequest.HttpServerRequest, message: unknown, revision: string) => {
    const call = isUsual(request, revision) ? decode(message) : Option.none()
    if (Option.isNone(call)) return undefined
    const { id, params } = call.value
    const tool = tools.get(params.name)
    if (tool === undefined || !Context.get(tool.rpc.annotations, Hints).isReadonly) return undefined
    const start = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`)
    return Effect.map(tool.call(params.arguments, revision), (answer) =>
      HttpServerResponse.uint8Array(Buffer.concat([start, resultOf(answer, revision), end]), {
        contentType: "application/json",
        headers: { "mcp-protocol-version": revision }
      })
    )
  }
}
