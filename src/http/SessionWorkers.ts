import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import { createServer, type IncomingMessage, request as ask, type Server, type ServerResponse } from "node:http"
import { pipeline } from "node:stream"
import * as InstanceName from "../mcp/InstanceName.ts"
import { sessionEnded } from "../mcp/McpHttp.ts"
import * as Cors from "../platform/requests/Cors.ts"
import { socketOf, Worker } from "../platform/workers/Worker.ts"
import { type Answering, ApiListener } from "./ApiListener.ts"
import { drain } from "./ApiRequest.ts"

/** Carries the address of the client's connection to the other worker. */
const clientHeader = "x-worker-client"

/** Headers of one connection (RFC 9110, section 7.6.1). */
const ofConnection = ["connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade"]

/**
 * Returns the headers for the other worker. Node throws when it sends a header without a value, and a client that has left
 * has no address. Node also throws for a `Trailer` without a chunked body.
 */
const headersFor = ({ headers, socket }: IncomingMessage) => {
  const passed: NodeJS.Dict<string | Array<string>> = { ...headers, [clientHeader]: socket.remoteAddress ?? "" }
  for (const name of ofConnection) delete passed[name]
  return passed
}

const noSession = JSON.stringify({ detail: sessionEnded, code: "NOT_FOUND" })

const refuse = (request: IncomingMessage, response: ServerResponse) => {
  if (response.headersSent) return void response.destroy()
  response.writeHead(404, { ...Cors.shared, "content-type": "application/json" }).end(noSession)
  if (!request.complete) drain(request)
}

/** Sends a request to a worker, and its answer to the client. A worker that has ended has no session any more. */
const passOn = (request: IncomingMessage, response: ServerResponse, socketPath: string) => {
  const { method, url: path } = request
  const passed = ask({ socketPath, method, path, headers: headersFor(request), agent: false })
  passed.on("response", (answer) => {
    for (const name of [...ofConnection, "transfer-encoding"]) delete answer.headers[name]
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    pipeline(answer, response, () => {})
  })
  passed.on("error", () => refuse(request, response))
  response.on("close", () => passed.destroy())
  request.pipe(passed)
}

/** Passes the requests of a tool session to the worker that opened it: each connection may reach any worker. */
const passing = Effect.fnUntraced(function* (worker: Worker) {
  const listener = yield* ApiListener
  const workerOf = yield* InstanceName.workerOf
  const answering: Answering = (request, response, waitsForContinue) => {
    const owner = workerOf(request.headers[InstanceName.header])
    if (owner === undefined || owner === worker.number || owner > worker.count) return false
    if (waitsForContinue) response.writeContinue()
    passOn(request, response, socketOf(worker, owner))
    return true
  }
  yield* listener.answerWith(answering)
})

/** Takes the requests that other workers pass on, and their own requests (`AskWorker`). */
const taking = Effect.fnUntraced(function* (worker: Worker, server: Server) {
  const path = socketOf(worker, worker.number)
  const inside = createServer((request, response) => {
    Object.defineProperty(request.socket, "remoteAddress", { value: request.headers[clientHeader], configurable: true })
    server.emit("request", request, response)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      // The predecessor may have left its socket.
      fs.rmSync(path, { force: true })
      inside.once("error", (error) => resume(Effect.die(error)))
      // `exclusive`: the primary process does not share this socket among the workers.
      inside.listen({ path, exclusive: true }, () => resume(Effect.void))
    }),
    () =>
      Effect.sync(() => {
        inside.close()
        inside.closeAllConnections()
      })
  )
})

/** Connects the workers of one service: the tool session of a client lives in one of them. */
export const layerOf = (server: Server) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const worker = yield* Worker
      if (worker === undefined) return
      yield* taking(worker, server)
      yield* passing(worker)
    })
  )
