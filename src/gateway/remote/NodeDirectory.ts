import { Effect, Schema } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { StateDirectory } from "../../platform/settings/StateDirectory.ts"

class NodeIsRunning extends Schema.TaggedError<NodeIsRunning>()("NodeIsRunning", { message: Schema.String }) {}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

const holder = (lock: string): number | undefined => {
  try {
    const pid = Number(fs.readFileSync(lock, "utf8"))
    return Number.isInteger(pid) && pid > 0 && pid !== process.pid && isAlive(pid) ? pid : undefined
  } catch {
    return undefined
  }
}

/** Opens the directory with the state of a node, for one process at a time. Only this account can read it. */
export const open = Effect.fnUntraced(function* (name: string) {
  const directory = path.join(yield* StateDirectory, `node-${name}`)
  const lock = path.join(directory, "lock")
  yield* Effect.sync(() => fs.mkdirSync(directory, { recursive: true, mode: 0o700 }))
  const pid = holder(lock)
  if (pid !== undefined)
    return yield* new NodeIsRunning({ message: `The node ${name} already runs here, as process ${pid}` })
  yield* Effect.acquireRelease(
    Effect.sync(() => fs.writeFileSync(lock, String(process.pid), { mode: 0o600 })),
    () => Effect.sync(() => fs.rmSync(lock, { force: true }))
  )
  return directory
}, Effect.provide(StateDirectory.layer))

/** Writes a file of the state as a whole: a reader sees the old text or the new one. */
export const write = (file: string, text: string) => {
  fs.writeFileSync(`${file}.new`, text, { mode: 0o600 })
  fs.renameSync(`${file}.new`, file)
}

/** Reads a file of the state. Undefined: there is none. */
export const read = (file: string): string | undefined =>
  fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined
