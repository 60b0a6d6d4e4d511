import { Config, Context, Effect, Layer, Option, Schema } from "effect"
import { UserDirectories } from "effect/persistence"
import * as fs from "node:fs"
import * as path from "node:path"

const name = "proxy-rental-service"

class StateDirectoryUnusable extends Schema.TaggedError<StateDirectoryUnusable>()("StateDirectoryUnusable", {
  reason: Schema.String
}) {
  override get message() {
    return `DATA_DIR is not usable: ${this.reason}`
  }
}

const unusable = (error: unknown) =>
  new StateDirectoryUnusable({ reason: error instanceof Error ? error.message : String(error) })

const isRoot = () => process.getuid?.() === 0

/** Level by level: the recursive call never returns where the system refuses a level, as below `/proc`. */
const make = (directory: string) => {
  if (fs.existsSync(directory)) {
    if (!fs.statSync(directory).isDirectory()) throw new Error(`${directory} is not a directory`)
    return
  }
  make(path.dirname(directory))
  fs.mkdirSync(directory, { mode: isRoot() ? 0o711 : 0o700 })
}

/** The embedded database runs under another account than root's and has to pass through. */
const open = (directory: string) => {
  make(directory)
  fs.accessSync(directory, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
  const { mode } = fs.statSync(directory)
  if (isRoot() && (mode & 0o011) !== 0o011) fs.chmodSync(directory, mode | 0o011)
}

/** The path alone: nothing is made there, and nothing is looked at. */
export const located = Effect.gen(function* () {
  const chosen = yield* Config.option(Config.String("DATA_DIR"))
  if (Option.isSome(chosen)) return path.resolve(chosen.value)
  if (isRoot()) return path.join("/var/lib", name)
  const directories = yield* UserDirectories.UserDirectories
  return yield* Effect.mapError(directories.state(name), unusable)
}).pipe(Effect.provide(UserDirectories.layer))

/**
 * The absolute directory in which one installation keeps what must outlive the
 * process: `DATA_DIR`, else `/var/lib` for root and the account's own state directory
 * for everybody else.
 */
export class StateDirectory extends Context.Service<StateDirectory, string>()("app/platform/StateDirectory") {
  static readonly layer = Layer.effect(
    StateDirectory,
    Effect.tap(located, (directory) => Effect.try({ try: () => open(directory), catch: unusable }))
  )
}
