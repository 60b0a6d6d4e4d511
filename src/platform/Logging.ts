import { Config, Effect, Layer, Logger, References } from "effect"

const format = Config.Literals(["pretty", "json"], "LOG_FORMAT").pipe(
  Config.withDefault(process.stdout.isTTY ? "pretty" : "json")
)
const level = Config.Literals(["Trace", "Debug", "Info", "Warn", "Error"], "LOG_LEVEL").pipe(Config.withDefault("Info"))

/** Disables spans, because nothing collects them. */
const withoutSpans = Layer.succeed(References.TracerEnabled, false)

/**
 * Writes logs as `LOG_FORMAT` says: `pretty` (the default on a terminal) or `json`, one record a line. `LOG_LEVEL` is
 * `Info` by default.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const logger = (yield* format) === "json" ? Logger.consoleJson : Logger.consolePretty()
    return Layer.mergeAll(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, yield* level), withoutSpans)
  })
)
