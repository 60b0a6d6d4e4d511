import { Scope } from "../accounts/Scope.ts"

/** What a person withholds or grants through the separate box of the consent screen (specification section 5.2). */
export const spending: Scope = "orders:write"

/** Space-separated, in a fixed order. */
export const format = (scopes: ReadonlyArray<Scope>): string =>
  Scope.literals.filter((scope) => scopes.includes(scope)).join(" ")

/** The known ones of a `scope` parameter, in a fixed order, each once; unknown ones are dropped. */
export const parse = (text: string): ReadonlyArray<Scope> => {
  const words = new Set(text.split(" "))
  return Scope.literals.filter((scope) => words.has(scope))
}
