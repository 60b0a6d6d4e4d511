import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { RpcSerialization, RpcServer } from "effect/rpc"
import { Caller } from "../accounts/Caller.ts"
import * as ToolAuthentication from "./ToolAuthentication.ts"
import { admit, ToolCaller } from "./ToolCaller.ts"
import * as ToolDefect from "./ToolDefect.ts"
import * as ToolHandlers from "./ToolHandlers.ts"
import { all } from "./Tools.ts"

/** A call runs in the request that brought it: behind `ToolAuthentication`, which knows its caller. */
const toolCaller = ToolCaller.of((call, { rpc }) =>
  Effect.contextWith((context: Context.Context<never>) => {
    const caller = Context.getUnsafe(context, Caller)
    const request = Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
    return admit(caller, rpc._tag, rpc).pipe(
      Effect.andThen(call),
      Effect.provideService(Caller, caller),
      Effect.provideService(HttpServerRequest.HttpServerRequest, request),
      Effect.catchDefect((defect) => Effect.flatMap(ToolDefect.told(defect), Effect.fail))
    )
  })
)

/** Each line is a message, and most of them are calls. */
const countCalls = (body: string): number => Math.max(1, body.split("\n").filter((line) => line.trim() !== "").length)

/** The tools for typed clients: Effect RPC over HTTP, a JSON message on each line. */
export const layer = RpcServer.layerHttp({
  group: all,
  path: "/rpc",
  protocol: "http",
  disableFatalDefects: true
}).pipe(
  Layer.provide([ToolHandlers.layer, Layer.succeed(ToolCaller, toolCaller), RpcSerialization.layerNdjson]),
  Layer.provide(ToolAuthentication.middleware(countCalls).layer)
)
