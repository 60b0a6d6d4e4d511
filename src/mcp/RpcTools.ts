import { Context, Effect, Layer, Predicate, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { Headers, type HttpServerRequest } from "effect/http"
import { Rpc, type RpcGroup, RpcMessage } from "effect/rpc"
import { Caller } from "../accounts/Caller.ts"
import { Description, Hints, Title } from "../rpc/ToolAnnotations.ts"
import { admit, isVisible } from "../rpc/ToolCaller.ts"
import * as ToolDefect from "../rpc/ToolDefect.ts"
import { argumentFaults, encode as encodeFailure, invalidArguments, ToolFailure } from "../rpc/ToolFailure.ts"
import * as ToolAnswer from "./ToolAnswer.ts"

/** The services of one call that a tool's handler needs. */
type CallServices = Caller | HttpServerRequest.HttpServerRequest

type Handle = (
  payload: unknown,
  options: {
    readonly client: Rpc.ServerClient
    readonly requestId: RpcMessage.RequestId
    readonly headers: Headers.Headers
  }
) => Effect.Effect<unknown, ToolFailure, CallServices>

/** The RPC options of a call. They are empty, because these calls come from the MCP server and from no RPC transport. */
const options = { client: new Rpc.ServerClient(0), requestId: RpcMessage.RequestId("0"), headers: Headers.empty }

/** Makes invalid arguments a failure of the tool, which a model can read. Before revision 2025-11-25 it is a protocol error. */
const refused = Effect.fnUntraced(function* (error: Schema.SchemaError) {
  const { protocolVersion } = yield* McpSchema.McpRequestContext
  if (protocolVersion >= "2025-11-25") return yield* invalidArguments(error)
  const faults = argumentFaults(error.issue).map(({ loc: [, ...path], msg }) =>
    [path.join("."), msg].filter((part) => part !== "").join(": ")
  )
  return yield* new McpSchema.InvalidParams({ message: `Invalid arguments: ${faults.join("; ")}` })
})

/** Describes arguments without references, because clients of this protocol revision do not follow them. */
const inputSchema = (schema: Schema.Top) =>
  Schema.decodeUnknownSync(McpSchema.ToolJson)(
    Schema.toJsonSchemaDocument(schema, { referencePolicy: () => undefined }).schema
  )

/** Makes a tool of an RPC, with the same arguments, scope and answer. */
const callTool = (rpc: Rpc.AnyWithProps, run: Handle) => {
  const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(rpc.payloadSchema), { errors: "all" })
  const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(rpc.successSchema))
  const { isReadonly } = Context.get(rpc.annotations, Hints)
  /** Encoded answers of results that a handler keeps, such as the offers, so that each is encoded once. */
  const known = new WeakMap<object, McpSchema.CallToolResult>()

  const answerOf = Effect.fnUntraced(function* (result: unknown) {
    const isKept = Predicate.isObject(result)
    const answer = (isKept && known.get(result)) || ToolAnswer.success(yield* Effect.orDie(encode(result)))
    if (isKept) known.set(result, answer)
    return answer
  })

  return Effect.fn(`Tool.${rpc._tag}`)(
    function* (given: unknown) {
      yield* admit(yield* Caller, rpc._tag, rpc)
      const payload = yield* Effect.catch(decode(given ?? {}), refused)
      return yield* answerOf(yield* run(payload, options))
    },
    // A client that leaves does not stop a call that changes something.
    (call) => (isReadonly ? call : Effect.uninterruptible(call)),
    Effect.catchDefect((defect) => Effect.flatMap(ToolDefect.toFailure(defect), Effect.fail)),
    Effect.catchIf(Schema.is(ToolFailure), (failure) =>
      Effect.map(Effect.orDie(encodeFailure(failure)), ToolAnswer.failure)
    )
  )
}

const descriptor = (rpc: Rpc.AnyWithProps) => {
  const hints = Context.get(rpc.annotations, Hints)
  return new McpSchema.Tool({
    name: rpc._tag,
    description: Context.get(rpc.annotations, Description),
    inputSchema: inputSchema(rpc.payloadSchema),
    outputSchema: ToolAnswer.outputSchema(rpc.successSchema),
    annotations: {
      title: Context.get(rpc.annotations, Title),
      readOnlyHint: hints.isReadonly,
      destructiveHint: hints.isDestructive,
      idempotentHint: hints.isIdempotent,
      openWorldHint: hints.isOpenWorld
    }
  })
}

/** Lists the tools that the caller's scopes allow. A call of another tool fails and names the missing scope. */
const visibility = (group: RpcGroup.RpcGroup<Rpc.AnyWithProps>) =>
  McpServer.visibility(({ method, target }) =>
    Effect.map(Caller, (caller) => {
      const rpc = method === "tools/list" ? group.requests.get(target) : undefined
      return rpc === undefined || isVisible(caller, rpc)
    })
  )

/** Registers the tools of a group of RPCs at the server of the Model Context Protocol, without declaring them twice. */
export const layer = <Rpcs extends Rpc.Any>(group: RpcGroup.RpcGroup<Rpcs>) => {
  const tools = group as unknown as RpcGroup.RpcGroup<Rpc.AnyWithProps>
  const register = Effect.gen(function* () {
    const server = yield* McpServer.McpServer
    const services = yield* Effect.context<never>()
    for (const [name, rpc] of tools.requests) {
      const run = (yield* tools.accessHandler(name)) as unknown as Handle
      // The server provides the request's services to the handler, but its types do not say so.
      const handle = callTool(rpc, run) as (
        given: unknown
      ) => Effect.Effect<McpSchema.CallToolResult, McpSchema.InvalidParams>
      yield* server.addTool({ tool: descriptor(rpc), annotations: Context.empty(), services, handle })
    }
  })
  return Layer.effectDiscard(register as Effect.Effect<void, never, McpServer.McpServer | Rpc.ToHandler<Rpcs>>).pipe(
    Layer.provide(visibility(tools).layer)
  )
}
