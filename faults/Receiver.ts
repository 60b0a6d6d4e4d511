import { Effect } from "effect"
import * as http from "node:http"

const idOf = (text: string): string | undefined => {
  const body: unknown = JSON.parse(text)
  return typeof body === "object" && body !== null && "id" in body ? String(body.id) : undefined
}

/** Receives the webhooks of all accounts, and records the events. */
export const start = Effect.fnUntraced(function* (received: Set<string>) {
  const server = yield* Effect.acquireRelease(
    Effect.callback<http.Server>((resume) => {
      const server = http.createServer((request, response) => {
        let text = ""
        request.setEncoding("utf8")
        request.on("data", (chunk: string) => (text += chunk))
        request.on("end", () => {
          const id = idOf(text)
          if (id !== undefined) received.add(id)
          response.end()
        })
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => void (server.closeAllConnections(), server.close()))
  )
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
})
