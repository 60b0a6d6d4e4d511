import { Config, Effect, Layer } from "effect"

/** Longer than a shutdown takes. */
const lastResortMillis = 5_000

/**
 * Ends this process in order when the one that supervises it is gone: its standard input, a pipe
 * from there, is at its end then. On when `GATEWAY_SUPERVISED` is `1`.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const supervised = yield* Config.String("GATEWAY_SUPERVISED").pipe(Config.withDefault("0"))
    if (supervised !== "1") return
    process.stdin.once("close", () => {
      process.kill(process.pid, "SIGTERM")
      setTimeout(() => process.exit(1), lastResortMillis).unref()
    })
    process.stdin.on("error", () => {}).resume()
  })
)
