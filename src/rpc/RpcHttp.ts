import { Context, Effect, Layer, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { type Rpc, type RpcMessage, RpcSerialization, RpcServer } from "effect/rpc"
import { Caller } from "../accounts/Caller.ts"
import * as RpcLines from "./RpcLines.ts"
import * as ToolAuthentication from "./ToolAuthentication.ts"
import { admit, ToolCaller } from "./ToolCaller.ts"
import * as ToolDefect from "./ToolDefect.ts"
import { encode, invalidArguments, ToolFailure } from "./ToolFailure.ts"
import * as ToolHandlers from "./ToolHandlers.ts"
import { all } from "./Tools.ts"

const path = "/rpc"

/** Gives a call the HTTP request that it came in, and the caller from `ToolAuthentication`. */
const toolCaller = ToolCaller.of((call) =>
  Effect.contextWith((context: Context.Context<never>) =>
    call.pipe(
      Effect.provideService(Caller, Context.getUnsafe(context, Caller)),
      Effect.provideService(
        HttpServerRequest.HttpServerRequest,
        Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
      ),
      Effect.catchDefect((defect) => Effect.flatMap(ToolDefect.toFailure(defect), Effect.fail))
    )
  )
)

const tools: ReadonlyMap<string, Rpc.AnyWithProps> = all.requests

/** Checks in this order that the tool exists, that the caller may call it, and that the arguments fit. */
const check = Effect.fnUntraced(function* ({ payload, tag }: RpcMessage.RequestEncoded) {
  const rpc = tools.get(tag)
  if (rpc === undefined)
    return yield* new ToolFailure({
      status: 404,
      code: "NOT_FOUND",
      detail: `There is no tool ${tag.slice(0, 100)}; GET /llms.txt lists them`
    })
  const caller = yield* Effect.contextWith((context: Context.Context<never>) =>
    Effect.succeed(Context.getUnsafe(context, Caller))
  )
  yield* admit(caller, tag, rpc)
  yield* Schema.decodeUnknownEffect(Schema.toCodecJson(rpc.payloadSchema), { errors: "all" })(payload).pipe(
    Effect.mapError(invalidArguments)
  ) as Effect.Effect<unknown, ToolFailure>
})

/** Answers a refused call with a failure that says what to do. The framework alone would answer a defect. */
const protocol = Effect.gen(function* () {
  // All refusals of a request are written before the client reads any of them, so the buffer must hold them.
  const http = yield* RpcServer.makeProtocolHttp({ path, streamBufferSize: "unbounded" })
  const fail = Effect.fnUntraced(function* (client: number, requestId: string | number, failure: ToolFailure) {
    const error = yield* Effect.orDie(encode(failure))
    yield* http.send(client, { _tag: "Exit", requestId, exit: { _tag: "Failure", cause: [{ _tag: "Fail", error }] } })
  })
  return RpcServer.Protocol.of({
    ...http,
    run: (serve) =>
      http.run((client, message) =>
        message._tag === "Request"
          ? Effect.matchEffect(check(message), {
              onFailure: (failure) => fail(client, message.id, failure),
              onSuccess: () => serve(client, message)
            })
          : serve(client, message)
      )
  })
})

/** The tools for typed clients: Effect RPC over HTTP, one JSON message on each line. */
export const layer = RpcServer.layer(all, { disableFatalDefects: true }).pipe(
  Layer.provide([ToolHandlers.layer, Layer.succeed(ToolCaller, toolCaller)]),
  Layer.provide(Layer.effect(RpcServer.Protocol, protocol)),
  Layer.provide(Layer.succeed(RpcSerialization.RpcSerialization, RpcLines.serialization)),
  Layer.provide(ToolAuthentication.middleware(RpcLines.inspect).layer)
)
