import { onTestFinished } from "@effect/vitest"
import { once } from "node:events"
import { createConnection } from "node:net"
import { Worker } from "node:worker_threads"

/**
 * A port of 127.0.0.1 where connections hang: the listener accepts none, and its queue is full, so the system drops
 * every new connection.
 */
export const silentPort = async (): Promise<number> => {
  const worker = new Worker(
    `const server = require("node:net").createServer()
     server.listen({ host: "127.0.0.1", port: 0, backlog: 1 }, () => {
       require("node:worker_threads").parentPort.postMessage(server.address().port)
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
     })`,
    { eval: true }
  )
  onTestFinished(async () => void (await worker.terminate()))
  const [port] = await once(worker, "message")
  const queued = [1, 2, 3].map(() => createConnection(port, "127.0.0.1").on("error", () => {}))
  onTestFinished(() => queued.forEach((socket) => socket.destroy()))
  await once(queued[0]!, "connect")
  return port
}
