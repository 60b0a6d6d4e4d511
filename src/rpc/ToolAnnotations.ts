import { Context } from "effect"
import { RequiredScope } from "../accounts/Authentication.ts"
import type { Scope } from "../accounts/Scope.ts"

/** The tool's display name. */
export const Title = Context.Reference<string>("app/rpc/Title", { defaultValue: () => "" })

/** Explains a tool to an agent that does not know the service: purpose, price, next call, meaning of errors. */
export const Description = Context.Reference<string>("app/rpc/Description", { defaultValue: () => "" })

/** Hints that help a client decide whether to ask a person before a call (Model Context Protocol). */
export interface ToolHints {
  /** Changes nothing. */
  readonly isReadonly: boolean
  /** Spends, replaces or ends something; otherwise it only adds. */
  readonly isDestructive: boolean
  /** A repeated call has no further effect. */
  readonly isIdempotent: boolean
  /** Calls systems that the service does not know in advance. */
  readonly isOpenWorld: boolean
}

/** Without hints a tool may do anything. */
export const Hints = Context.Reference<ToolHints>("app/rpc/Hints", {
  defaultValue: () => ({
    isReadonly: false,
    isDestructive: true,
    isIdempotent: false,
    isOpenWorld: true
  })
})

/** True when callers get the same answer to the same arguments, so that the server keeps the encoded answers. */
export const Shared = Context.Reference<boolean>("app/rpc/Shared", { defaultValue: () => false })

/** Each call adds something. */
export const adds: ToolHints = {
  isReadonly: false,
  isDestructive: false,
  isIdempotent: false,
  isOpenWorld: false
}

/** Sets a state. Another call can restore the old one. */
export const sets: ToolHints = { ...adds, isIdempotent: true }

export const reads: ToolHints = { ...sets, isReadonly: true }

/** Overwrites or ends something permanently. */
export const replaces: ToolHints = { ...sets, isDestructive: true }

/** Spends money, only with `confirm` and once for each idempotency key. */
export const spends: ToolHints = { ...replaces }

interface Tool {
  readonly title: string
  readonly description: string
  readonly hints: ToolHints
  readonly scope: Scope | "full-access"
  readonly isShared?: boolean
}

/** The annotations of a tool. */
export const tool = ({ description, hints, isShared = false, scope, title }: Tool) =>
  Context.empty().pipe(
    Context.add(Title, title),
    Context.add(Description, description),
    Context.add(Hints, hints),
    Context.add(RequiredScope, scope),
    Context.add(Shared, isShared)
  )
