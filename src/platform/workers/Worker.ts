import { Context, Schema } from "effect"
import * as path from "node:path"

/** A process that answers requests beside others on the same port (`serve --workers`). */
const Description = Schema.Struct({
  /** From 1. The successor of a worker that ended has its number. */
  number: Schema.Int,
  /** The number of workers of this service. */
  count: Schema.Int,
  /** Holds the sockets of the workers. Only the account of the service can open it. */
  directory: Schema.String,
  /** True when it replaces a worker that ended. */
  isSuccessor: Schema.Boolean
})
export type Worker = typeof Description.Type

const variable = "PROXY_RENTAL_WORKER"
const json = Schema.fromJsonString(Description)

/** The variables that make a process this worker. */
export const environmentOf = (worker: Worker) => ({ [variable]: Schema.encodeSync(json)(worker) })

const present = () => {
  const text = process.env[variable]
  return text === undefined ? undefined : Schema.decodeUnknownSync(json)(text)
}

/** This process as a worker; undefined in a process that serves alone. */
export const Worker = Context.Reference<Worker | undefined>("app/platform/Worker", { defaultValue: present })

/** The socket on which a worker takes requests of the others. */
export const socketOf = ({ directory }: Worker, number: number) =>
  process.platform === "win32"
    ? `\\\\.\\pipe\\${path.basename(directory)}-${number}`
    : path.join(directory, `${number}.sock`)

export const othersOf = ({ count, number }: Worker): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => index + 1).filter((other) => other !== number)
