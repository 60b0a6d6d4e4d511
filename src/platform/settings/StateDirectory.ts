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

/**
 * Creates one level after the other, because Node's recursive call never returns where the system refuses a level, as
 * below `/proc`.
 */
const make = (directory: string) => {
  if (fs.existsSync(directory)) {
    if (!fs.statSync(directory).isDirectory()) throw new Error(`${directory} is not a directory`)
    return
  }
  make(path.dirname(directory))
  fs.mkdirSync(directory, { mode: isRoot() ? 0o711 : 0o700 })
}

/**
 * Creates the directory and checks that it is usable. As root, lets other accounts pass through it, because the
 * embedded database runs under another account.
 */
const open = (directory: string) => {
  make(directory)
  fs.accessSync(directory, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
  const { mode } = fs.statSync(directory)
  if (isRoot() && (mode & 0o011) !== 0o011) fs.chmodSync(directory, mode | 0o011)
}

/** Finds the path without creating or reading anything. */
export const located = Effect.gen(function* () {
  const chosen = yield* Config.option(Config.String("DATA_DIR"))
  if (Option.isSome(chosen)) return path.resolve(chosen.value)
  if (isRoot()) return path.join("/var/lib", name)
  const directories = yield* UserDirectories.UserDirectories
  return yield* Effect.mapError(directories.state(name), unusable)
}).pipe(Effect.provide(UserDirectories.layer))

/**
 * Absolute path of the directory for data that must outlive the process: `DATA_DIR` if it is set. Otherwise it is a
 * directory in `/var/lib` for root, and in the account's own state directory for any other account.
 */
export class StateDirectory extends Context.Service<StateDirectory, string>()("app/platform/StateDirectory") {
  static readonly layer = Layer.effect(
    StateDirectory,
    Effect.tap(located, (directory) => Effect.try({ try: () => open(directory), catch: unusable }))
  )
}
