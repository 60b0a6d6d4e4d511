import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { once } from "node:events"
import * as fs from "node:fs"
import { createServer, request, type Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { text } from "node:stream/consumers"
import { ApiListener } from "../../src/http/ApiListener.ts"
import * as SessionWorkers from "../../src/http/SessionWorkers.ts"
import { Worker } from "../../src/platform/workers/Worker.ts"

const directory = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(tmpdir(), "workers-"))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true }))
)

/** A worker that answers with the address of the client that it sees. */
const workerAt = Effect.fnUntraced(function* (directory: string, number: number) {
  const server = createServer()
  const worker = { number, count: 2, directory, isSuccessor: false }
  yield* Layer.build(
    Layer.provideMerge(SessionWorkers.layerOf(server), ApiListener.layerOf(server)).pipe(
      Layer.provide(Layer.succeed(Worker, worker))
    )
  )
  server.on("request", ({ socket }, response) => response.end(JSON.stringify([number, socket.remoteAddress])))
  yield* Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening"))
  yield* Effect.addFinalizer(() => Effect.sync(() => void server.close().closeAllConnections()))
  return server
})

/** Asks the server with the session of the second worker. */
const ask = (server: Server, headers: Record<string, string> = {}) =>
  Effect.promise(async () => {
    const { port } = server.address() as AddressInfo
    const sent = request({ port, headers: { "mcp-session-id": "2.any", ...headers } }).end()
    const [response] = await once(sent, "response")
    return { status: response.statusCode as number, body: JSON.parse(await text(response)) }
  })

describe("A worker", () => {
  it.effect("passes a request on to the worker of its session, which sees the address of the client", () =>
    Effect.gen(function* () {
      const folder = yield* directory
      const [first] = [yield* workerAt(folder, 1), yield* workerAt(folder, 2)]
      assert.deepStrictEqual((yield* ask(first)).body, [2, "127.0.0.1"])
      const forged = { "x-worker-client": "192.0.2.1" }
      assert.deepStrictEqual((yield* ask(first, forged)).body, [2, "127.0.0.1"])
    })
  )

  it.effect("passes on the request of a client that has gone, whose address the system no longer knows", () =>
    Effect.gen(function* () {
      const server = yield* workerAt(yield* directory, 1)
      server.on("connection", (socket: Socket) => Object.defineProperty(socket, "remoteAddress", { value: undefined }))
      const { body, status } = yield* ask(server)
      // The other worker does not run, so it has no such session.
      assert.deepStrictEqual([status, body.code], [404, "NOT_FOUND"])
    })
  )
})
