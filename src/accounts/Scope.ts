import { Schema } from "effect"

/** What a restricted API key or an OAuth token may do (specification section 5.2). */
export const Scope = Schema.Literals(["catalog:read", "account:read", "orders:read", "wallet:read", "orders:write"])
export type Scope = typeof Scope.Type

/** The scopes that change nothing; an app that names none asks for them, and a person grants them together. */
export const reading: ReadonlyArray<Scope> = Scope.literals.filter((scope) => scope !== "orders:write")
