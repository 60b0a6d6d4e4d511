import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { once } from "node:events"
import * as fs from "node:fs"
import { createServer, request } from "node:http"
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

describe("A worker", () => {
  it.effect("passes on the request of a client that has gone, whose address the system no longer knows", () =>
    Effect.gen(function* () {
      const server = createServer()
      const worker = { number: 1, count: 2, directory: yield* directory, isSuccessor: false }
      yield* Layer.build(
        Layer.provideMerge(SessionWorkers.layerOf(server), ApiListener.layerOf(server)).pipe(
          Layer.provide(Layer.succeed(Worker, worker))
        )
      )
      server.on("request", (_, response) => response.end("not passed on"))
      server.on("connection", (socket: Socket) => Object.defineProperty(socket, "remoteAddress", { value: undefined }))
      server.listen(0, "127.0.0.1")
      yield* Effect.addFinalizer(() => Effect.sync(() => void server.close().closeAllConnections()))
      const answer = yield* Effect.promise(async () => {
        await once(server, "listening")
        const { port } = server.address() as AddressInfo
        const sent = request({ port, headers: { "mcp-session-id": "2.any" } }).end()
        const [response] = await once(sent, "response")
        return { status: response.statusCode as number, body: JSON.parse(await text(response)) }
      })
      // The other worker does not run, so it has no such session.
      assert.deepStrictEqual([answer.status, answer.body.code], [404, "NOT_FOUND"])
    })
  )
})
