import { Config, Option, Schema } from "effect"

/**
 * Reads a variable with `parse`. A text that `parse` does not accept stops the start with one line that names the
 * variable, and so does a value in which `faultIn` finds a fault.
 */
export const parsed = <A>(
  name: string,
  shape: string,
  parse: (text: string) => Option.Option<A>,
  faultIn: (value: A) => string | undefined = () => undefined
): Config.Config<A> => {
  const faultOf = (text: string) =>
    Option.match(parse(text), { onNone: () => `must be ${shape}`, onSome: (value) => faultIn(value) })
  const check = Schema.makeFilter((text: string) => {
    const fault = faultOf(text)
    return fault === undefined || `${name} ${fault}`
  })
  return Config.schema(Schema.String.check(check), name).pipe(Config.map((text) => Option.getOrThrow(parse(text))))
}
