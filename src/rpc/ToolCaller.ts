import { Context, Effect, Semaphore } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type Rpc, RpcMiddleware } from "effect/rpc"
import { InsufficientScope, RequiredScope } from "../accounts/Authentication.ts"
import { type Caller, missingScope } from "../accounts/Caller.ts"
import { toFailure, ToolFailure } from "./ToolFailure.ts"

/**
 * Who calls a tool, in which request. Every tool's handler asks for both, and the adapter that carries the call
 * provides them.
 */
export class ToolCaller extends RpcMiddleware.Service<
  ToolCaller,
  { provides: Caller | HttpServerRequest.HttpServerRequest }
>()("app/rpc/ToolCaller", { error: ToolFailure }) {}

type Declared = Pick<Rpc.Any, "annotations">

/** The scope that a tool needs; `full-access` is an unrestricted API key. */
export const requiredScope = ({ annotations }: Declared) => Context.get(annotations, RequiredScope)

/** Whether a caller may use a tool, and so sees it. */
export const isVisible = (caller: Caller["Service"], tool: Declared): boolean =>
  missingScope(caller, requiredScope(tool)) === undefined

const remedy = ({ credential }: Caller["Service"], scope: string): string => {
  if (scope === "full-access") return "it needs an API key without a scope restriction, sent as X-API-Key"
  if (credential._tag !== "oauth") return `use an API key that holds the scope ${scope}, or one without a restriction`
  return scope === "orders:write"
    ? "connect the app again asking for the scope orders:write; the person must tick its box on the consent page"
    : `connect the app again asking for the scope ${scope}`
}

/**
 * The turns of one request's calls. Each call starts in its own iteration of the event loop, which serves other requests
 * in between. The calls queue for it, because one iteration runs all the fibers that yield together.
 */
export const Turns = Context.Reference("app/rpc/Turns", { defaultValue: () => Semaphore.makeUnsafe(1) })

const turn = Effect.flatMap(Turns, (turns) => turns.withPermit(Effect.yieldNow))

/**
 * Refuses a caller whose credential lacks the tool's scope, and says which and how to get it (specification section 5.2).
 * Any other call waits for its turn.
 */
export const admit = (caller: Caller["Service"], name: string, tool: Declared): Effect.Effect<void, ToolFailure> => {
  const required_scope = missingScope(caller, requiredScope(tool))
  if (required_scope === undefined) return turn
  const detail = `The credential lacks the scope ${required_scope}, which ${name} needs: ${remedy(caller, required_scope)}`
  return Effect.fail(toFailure(new InsufficientScope({ detail, details: { required_scope } })))
}
