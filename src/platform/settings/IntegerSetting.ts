import { Config, Schema } from "effect"

/**
 * Reads a whole number from a variable. Any other value stops the start with a line such as `TRUST_PROXY: Expected an
 * integer between 0 and 10`.
 */
export const integer = (name: string, minimum: number, maximum: number): Config.Config<number> => {
  const fits = (text: string) => /^\d{1,15}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
  const expected = `Expected an integer between ${minimum} and ${maximum}`
  return Config.schema(Schema.Trim.check(Schema.makeFilter((text) => fits(text) || expected)), name).pipe(
    Config.map(Number)
  )
}
