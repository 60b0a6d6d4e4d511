import { Data, Effect } from "effect"
import { once } from "node:events"
import { type IncomingMessage, request } from "node:http"
import { text } from "node:stream/consumers"
import { socketOf, type Worker } from "./Worker.ts"

/** The other worker does not answer, for example because it starts again. */
class WorkerAway extends Data.TaggedError("WorkerAway")<{ readonly cause: unknown }> {}

/**
 * Sends a `GET` to another worker of this service, and returns the text of its answer. The text has no limit, because only
 * the account of the service can make a socket in the directory: the other worker runs the same program.
 */
export const ask = (worker: Worker, number: number, path: string, headers: Readonly<Record<string, string>>) =>
  Effect.tryPromise({
    try: async (signal) => {
      const sent = request({ socketPath: socketOf(worker, number), path, headers, signal })
      const arrived = once(sent, "response") as Promise<[IncomingMessage]>
      sent.on("error", () => {}).end()
      return text((await arrived)[0])
    },
    catch: (cause) => new WorkerAway({ cause })
  })
