import { Context, Effect, Semaphore } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type Rpc, RpcMiddleware } from "effect/rpc"
import { InsufficientScope, RequiredScope } from "../accounts/Authentication.ts"
import { type Caller, missingScope } from "../accounts/Caller.ts"
import { toFailure, ToolFailure } from "./ToolFailure.ts"

/**
 * The caller and the request of a tool call. Handlers of tools need both; the adapter of the protocol provides them.
 */
export class ToolCaller extends RpcMiddleware.Service<
  ToolCaller,
  { provides: Caller | HttpServerRequest.HttpServerRequest }
>()("app/rpc/ToolCaller", { error: ToolFailure }) {}

type Declared = Pick<Rpc.Any, "annotations">

/** The scope that a tool needs. `full-access` means an unrestricted API key. */
export const requiredScope = ({ annotations }: Declared) => Context.get(annotations, RequiredScope)

/** True when the caller may call the tool. Only then the caller sees it in the list. */

export const isVisible = (caller: Caller["Service"], tool: Declared): boolean =>
  missingScope(caller, requiredScope(tool)) === undefined

const remedy = ({ credential }: Caller["Service"], scope: string): string => {
  if (scope === "full-access") return "it needs an API key without a scope restriction, sent as X-API-Key"
  if (credential._tag !== "oauth") return `use an API key that holds the scope ${scope}, or one without a restriction`
  return scope === "orders:write"
    ? "connect the app again and request the scope orders:write; the person must tick its box on the consent page"
    : `connect the app again and request the scope ${scope}`
}

/**
 * The turns of the calls in one request. Each call starts in its own iteration of the event loop, so that other requests
 * run in between. The calls queue because one iteration would run all fibers that yield together.
 */
export const Turns = Context.Reference("app/rpc/Turns", { defaultValue: () => Semaphore.makeUnsafe(1) })

const turn = Effect.flatMap(Turns, (turns) => turns.withPermit(Effect.yieldNow))

/**
 * Refuses a caller without the tool's scope, and says how to get it (docs/contract.md, "API keys and scopes"). Any other
 * call waits for its turn.
 */
export const admit = (caller: Caller["Service"], name: string, tool: Declared): Effect.Effect<void, ToolFailure> => {
  const required_scope = missingScope(caller, requiredScope(tool))
  if (required_scope === undefined) return turn
  const detail = `The credential lacks the scope ${required_scope}, which ${name} needs: ${remedy(caller, required_scope)}`
  return Effect.fail(toFailure(new InsufficientScope({ detail, details: { required_scope } })))
}
