import { Config, Option, Schema } from "effect"

/** A variable whose text `parse` must understand; else the start stops with one line that names it. */
export const parsed = <A>(name: string, shape: string, parse: (text: string) => Option.Option<A>): Config.Config<A> =>
  Config.schema(
    Schema.String.check(Schema.makeFilter((text) => Option.isSome(parse(text)) || `${name} must be ${shape}`)),
    name
  ).pipe(Config.map((text) => Option.getOrThrow(parse(text))))
