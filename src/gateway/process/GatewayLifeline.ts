import { Config, Effect, Layer } from "effect"

/** The time after which the process exits although its shutdown is not complete. */
const lastResortMillis = 5_000

/**
 * Shuts this process down when its supervisor has ended: standard input is a pipe from the supervisor, and closes then.
 * Enabled when `GATEWAY_SUPERVISED` is `1`.
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
