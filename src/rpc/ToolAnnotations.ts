import { Context } from "effect"
import { RequiredScope } from "../accounts/Authentication.ts"
import type { Scope } from "../accounts/Scope.ts"

/** What a person sees as the tool's name. */
export const Title = Context.Reference<string>("app/rpc/Title", { defaultValue: () => "" })

/** For an agent that has never seen the service: what it does, what it costs, what to call next, what errors mean. */
export const Description = Context.Reference<string>("app/rpc/Description", { defaultValue: () => "" })

/** What a client may assume of a tool before it asks a person whether to call it (Model Context Protocol). */
export interface ToolHints {
  /** Changes nothing. */
  readonly isReadonly: boolean
  /** Spends, replaces or ends something; otherwise it only adds. */
  readonly isDestructive: boolean
  /** The same call again has no further effect. */
  readonly isIdempotent: boolean
  /** Reaches systems that the service does not know beforehand. */
  readonly isOpenWorld: boolean
}

/** A tool that says nothing of itself may do anything. */
export const Hints = Context.Reference<ToolHints>("app/rpc/Hints", {
  defaultValue: () => ({
    isReadonly: false,
    isDestructive: true,
    isIdempotent: false,
    isOpenWorld: true
  })
})

/** Adds something each time. */
export const adds: ToolHints = {
  isReadonly: false,
  isDestructive: false,
  isIdempotent: false,
  isOpenWorld: false
}

/** Brings something to a state; what was before can be brought back. */
export const sets: ToolHints = { ...adds, isIdempotent: true }

export const reads: ToolHints = { ...sets, isReadonly: true }

/** Overwrites or ends what may not come back. */
export const replaces: ToolHints = { ...sets, isDestructive: true }

/** Takes money, which does not come back: only with `confirm`, once for an idempotency key. */
export const spends: ToolHints = { ...replaces }

interface Tool {
  readonly title: string
  readonly description: string
  readonly hints: ToolHints
  readonly scope: Scope | "full-access"
}

/** What there is to know of a tool beside its schemas. */
export const tool = ({ description, hints, scope, title }: Tool) =>
  Context.empty().pipe(
    Context.add(Title, title),
    Context.add(Description, description),
    Context.add(Hints, hints),
    Context.add(RequiredScope, scope)
  )
