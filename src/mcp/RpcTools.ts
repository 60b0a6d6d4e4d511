import { Context, Effect, Layer, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { Headers, type HttpServerRequest } from "effect/http"
import { Rpc, type RpcGroup, RpcMessage } from "effect/rpc"
import { Caller } from "../accounts/Caller.ts"
import { RecentMap } from "../platform/RecentMap.ts"
import { Description, Hints, Shared, Title } from "../rpc/ToolAnnotations.ts"
import { admit, isVisible } from "../rpc/ToolCaller.ts"
import * as ToolDefect from "../rpc/ToolDefect.ts"
import { argumentFaults, encode as encodeFailure, invalidArguments, ToolFailure } from "../rpc/ToolFailure.ts"
import * as ToolAnswer from "./ToolAnswer.ts"

/** A tool of the server. */
export interface Tool {
  readonly rpc: Rpc.AnyWithProps
  /** Takes the arguments and the revision of the protocol. */
  readonly call: (
    given: unknown,
    revision: string
  ) => Effect.Effect<ToolAnswer.ToolAnswer, McpSchema.InvalidParams, CallServices>
}

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

/** Number of answers in memory for each tool that gives its callers the same. */
const sharedAtMost = 20

/** The RPC options of a call. They are empty, because these calls come from the MCP server and from no RPC transport. */
const options = { client: new Rpc.ServerClient(0), requestId: RpcMessage.RequestId("0"), headers: Headers.empty }

/** Makes invalid arguments a failure of the tool, which a model can read. Before revision 2025-11-25 it is a protocol error. */
const refused = Effect.fnUntraced(function* (error: Schema.SchemaError, revision: string) {
  if (revision >= "2025-11-25") return yield* invalidArguments(error)
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

/** Makes the call of an RPC as a tool, with the same arguments, scope and answer. */
const callTool = (rpc: Rpc.AnyWithProps, run: Handle): Tool["call"] => {
  const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(rpc.payloadSchema) as unknown as Schema.Codec<unknown>, {
    errors: "all"
  })
  const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(rpc.successSchema) as unknown as Schema.Codec<unknown>)
  const { isReadonly } = Context.get(rpc.annotations, Hints)
  /** Encoded answers by the value that the handler returned, for a tool that gives all callers the same values. */
  const known = Context.get(rpc.annotations, Shared) && new RecentMap<unknown, ToolAnswer.ToolAnswer>(sharedAtMost)

  const answerOf = Effect.fnUntraced(function* (result: unknown) {
    const kept = known && known.get(result)
    if (kept) return kept
    const answer = ToolAnswer.success(yield* Effect.orDie(encode(result)))
    if (known) known.set(result, answer)
    return answer
  })

  return Effect.fn(`Tool.${rpc._tag}`)(
    function* (given: unknown, revision: string) {
      yield* admit(yield* Caller, rpc._tag, rpc)
      const payload = yield* Effect.catch(decode(given ?? {}), (error) => refused(error, revision))
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

/** Makes the tools of a group of RPCs, by name. */
export const make = Effect.fnUntraced(function* <Rpcs extends Rpc.Any>(group: RpcGroup.RpcGroup<Rpcs>) {
  const rpcs = group as unknown as RpcGroup.RpcGroup<Rpc.AnyWithProps>
  const tools = new Map<string, Tool>()
  for (const [name, rpc] of rpcs.requests)
    tools.set(name, { rpc, call: callTool(rpc, (yield* rpcs.accessHandler(name)) as unknown as Handle) })
  return tools as ReadonlyMap<string, Tool>
}) as <Rpcs extends Rpc.Any>(
  group: RpcGroup.RpcGroup<Rpcs>
) => Effect.Effect<ReadonlyMap<string, Tool>, never, Rpc.ToHandler<Rpcs>>

/** Lists the tools that the caller's scopes allow. A call of another tool fails and names the missing scope. */
const visibility = (tools: ReadonlyMap<string, Tool>) =>
  McpServer.visibility(({ method, target }) =>
    Effect.map(Caller, (caller) => {
      const rpc = method === "tools/list" ? tools.get(target)?.rpc : undefined
      return rpc === undefined || isVisible(caller, rpc)
    })
  )

/** Registers tools at the server of the Model Context Protocol. */
export const layer = (tools: ReadonlyMap<string, Tool>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* McpServer.McpServer
      const services = yield* Effect.context<never>()
      for (const { call, rpc } of tools.values()) {
        // The server provides the request's services to the handler, but its types do not say so.
        const handle = ((given: unknown) =>
          Effect.flatMap(McpSchema.McpRequestContext, ({ protocolVersion }) =>
            Effect.map(call(given, protocolVersion), (answer) => new McpSchema.CallToolResult(answer))
          )) as (given: unknown) => Effect.Effect<McpSchema.CallToolResult, McpSchema.InvalidParams>
        yield* server.addTool({ tool: descriptor(rpc), annotations: Context.empty(), services, handle })
      }
    })
  ).pipe(Layer.provide(visibility(tools).layer))
