import { Config, Effect, Option, Schema } from "effect"

class KeptByNpm extends Schema.TaggedError<KeptByNpm>()("KeptByNpm", {}) {
  override get message() {
    return "npm keeps --workers for itself; write two hyphens before it: npm start -- --workers 2"
  }
}

/** Refuses `npm start --workers 2`: npm turns a flag that does not follow `--` into a variable of the environment. */
export const check = Effect.fnUntraced(function* ([command, ...words]: ReadonlyArray<string>) {
  const kept = yield* Config.option(Config.String("npm_config_workers"))
  const isGiven = words.some((word) => word.startsWith("--workers"))
  if (command === "serve" && Option.isSome(kept) && !isGiven) return yield* new KeptByNpm()
})
