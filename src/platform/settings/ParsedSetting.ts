import { Config, Option, Schema } from "effect"

/**
 * Reads a variable with `parse`. A text that `parse` does not accept stops the start with one line that names the
 * variable.
 */
export const parsed = <A>(name: string, shape: string, parse: (text: string) => Option.Option<A>): Config.Config<A> =>
  Config.schema(
    Schema.String.check(Schema.makeFilter((text) => Option.isSome(parse(text)) || `${name} must be ${shape}`)),
    name
  ).pipe(Config.map((text) => Option.getOrThrow(parse(text))))
