import { Schema } from "effect"

/** A permission of a restricted API key or an OAuth token (docs/contract.md, "API keys and scopes"). */
export const Scope = Schema.Literals(["catalog:read", "account:read", "orders:read", "wallet:read", "orders:write"])
export type Scope = typeof Scope.Type

/** The scopes that only read. An app that requests no scope gets these; a person grants them together. */
export const reading: ReadonlyArray<Scope> = Scope.literals.filter((scope) => scope !== "orders:write")
