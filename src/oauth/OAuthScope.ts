import { Scope } from "../accounts/Scope.ts"

/** The scope with a separate box on the consent page (docs/contract.md, "OAuth"). */
export const spending: Scope = "orders:write"

export const maySpend = (scopes: ReadonlyArray<Scope>): boolean => scopes.includes(spending)

/** Formats a `scope` parameter: space-separated, in a fixed order. */
export const format = (scopes: ReadonlyArray<Scope>): string =>
  Scope.literals.filter((scope) => scopes.includes(scope)).join(" ")

/** Parses a `scope` parameter. Returns the known scopes in a fixed order, each once; ignores unknown ones. */
export const parse = (text: string): ReadonlyArray<Scope> => {
  const words = new Set(text.split(" "))
  return Scope.literals.filter((scope) => words.has(scope))
}
