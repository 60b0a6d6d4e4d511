import { Context, Effect, Exit, Layer, type Scope } from "effect"
import { McpProtocol, McpServer } from "effect/ai"
import { HttpEffect, HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Caller } from "../accounts/Caller.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import { all } from "../rpc/Tools.ts"
import { instructions } from "./Instructions.ts"
import * as ReadCalls from "./ReadCalls.ts"
import * as Resources from "./Resources.ts"
import * as RpcTools from "./RpcTools.ts"

/** The path of the tool server. */
export const pathOf = ({ mcp_url }: Pick<Addresses["Service"], "mcp_url">) =>
  new URL(mcp_url).pathname as HttpRouter.PathInput

/** The newest revision first. An `initialize` with an unknown revision gets the first one that has sessions. */
const protocols = [
  McpProtocol.v2026_07_28,
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26
] as const

type Answer<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/**
 * Applies the protocol's last changes to an answer, such as the empty 404 of an ended session. The middleware in front
 * adds its headers after that.
 */
const settled = <E, R>(answer: Answer<E, R>) =>
  Effect.uninterruptibleMask((interruptible) => {
    let exit: Exit.Exit<HttpServerResponse.HttpServerResponse, E> = Exit.succeed(HttpServerResponse.empty())
    const noted = Effect.onError(interruptible(answer), (cause) =>
      Effect.sync(() => {
        exit = Exit.failCause(cause)
      })
    )
    const keep = (_request: HttpServerRequest.HttpServerRequest, sent: HttpServerResponse.HttpServerResponse) =>
      Effect.sync(() => {
        if (Exit.isSuccess(exit)) exit = Exit.succeed(HttpEffect.scopeTransferToStream(sent))
      })
    return Effect.flatMap(Effect.exit(HttpEffect.toHandled(noted, keep)), () => exit)
  })

/**
 * The server of the Model Context Protocol, behind authentication. It trusts the `Caller` and does not check who owns a
 * session.
 */
export class ToolServer extends Context.Service<
  ToolServer,
  {
    /** Answers the current request. */
    readonly answer: Answer<never, Caller | HttpServerRequest.HttpServerRequest>
    /** Answers the call of a tool that only reads, in a session; undefined when `answer` must answer. */
    readonly read: ReturnType<typeof ReadCalls.make>
    /** Answers a given request. A client that leaves does not stop it. */
    readonly ask: (caller: Caller["Service"], request: RequestInit) => Effect.Effect<Response>
    /** Ends a session and the calls under way in it. */
    readonly end: (session: readonly [id: string, caller: Caller["Service"]]) => Effect.Effect<void>
  }
>()("app/mcp/ToolServer") {
  /** Adds tools and resources to those of the service. */
  static readonly layerWith = (more: Layer.Layer<never, never, McpServer.McpServer>) =>
    Layer.effect(
      ToolServer,
      Effect.gen(function* () {
        const addresses = yield* Addresses
        const tools = yield* RpcTools.make(all)
        const answer = yield* HttpRouter.toHttpEffect(
          McpServer.layerHttp({
            name: "proxy-rental",
            version: "1.0.0",
            instructions,
            path: pathOf(addresses),
            protocols,
            allowSessionTermination: true,
            allowSubscriptions: false,
            registrations: Layer.mergeAll(RpcTools.layer(tools), Resources.layer, more)
          })
        )
        const answerWeb = HttpEffect.toWebHandlerWith<
          never,
          Caller | HttpServerRequest.HttpServerRequest | Scope.Scope
        >(Context.empty())(Effect.orDie(answer))
        const ask = (caller: Caller["Service"], request: RequestInit) =>
          Effect.promise(() => answerWeb(new Request(addresses.mcp_url, request), Context.make(Caller, caller))).pipe(
            Effect.uninterruptible
          )
        const end = ([id, caller]: readonly [string, Caller["Service"]]) =>
          Effect.asVoid(ask(caller, { method: "DELETE", headers: { "mcp-session-id": id } }))
        return ToolServer.of({ answer: Effect.orDie(settled(answer)), read: ReadCalls.make(tools), ask, end })
      })
    )

  static readonly layer = this.layerWith(Layer.empty)
}
