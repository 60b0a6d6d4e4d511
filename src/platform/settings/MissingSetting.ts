import { Config, ConfigProvider, Effect, Option } from "effect"

/** Stops the start with one line that names the missing variables and the reason. */
export const missing = (names: ReadonlyArray<string>, why: string) =>
  new Config.ConfigError(
    new ConfigProvider.SourceError({
      message: `${names.join(", ")} ${names.length === 1 ? "is" : "are"} missing: ${why}`
    })
  )

/** Reads a variable that another setting makes necessary. */
export const required = <A>(name: string, config: Config.Config<A>, why: string): Config.Config<A> =>
  config.pipe(
    Config.option,
    Config.mapEffect(Option.match({ onNone: () => Effect.fail(missing([name], why)), onSome: Effect.succeed }))
  )
