import { Effect } from "effect"
import * as http from "node:http"
import type { AddressInfo } from "node:net"

export interface Asked {
  readonly method: string
  /** The path without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: http.IncomingHttpHeaders
  readonly body: any
}

/** `reset` breaks the connection and `hang` never answers, after the call is executed. */
export type Answer =
  | "reset"
  | "hang"
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown }

const read = async (request: http.IncomingMessage) => {
  let text = ""
  for await (const chunk of request) text += chunk
  return text === "" ? undefined : JSON.parse(text)
}

/** Runs a vendor's server on loopback until the scope closes. It records its requests. */
export const start = Effect.fnUntraced(function* (answer: (asked: Asked) => Answer) {
  const asked: Array<Asked> = []
  const server = yield* Effect.acquireRelease(
    Effect.callback<http.Server>((resume) => {
      const server = http.createServer(async (request, response) => {
        const url = new URL(request.url ?? "/", "http://vendor")
        const { headers, method = "" } = request
        const question = { method, path: url.pathname, query: url.searchParams, headers, body: await read(request) }
        asked.push(question)
        const said = answer(question)
        if (said === "hang") return
        if (said === "reset") return void request.socket.destroy()
        const { body, headers: more = {}, status = 200 } = said
        response.writeHead(status, { "content-type": "application/json", ...more })
        response.end(typeof body === "string" ? body : JSON.stringify(body))
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, asked }
})

/** The recorded requests whose path ends with a text. */
export const askedOf = (asked: ReadonlyArray<Asked>, end: string) => asked.filter(({ path }) => path.endsWith(end))
