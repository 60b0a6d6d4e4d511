import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Asked {
  readonly method: string
  readonly accept: string
  readonly response: ServerResponse
  /** The requested address. */
  readonly address: string
}

/** A usable document and its headers, with changes. */
export const serve = ({ address, response }: Asked, changes: object = {}, headers: Record<string, string> = {}) =>
  void response.writeHead(200, { "content-type": "application/json", ...headers }).end(
    JSON.stringify({
      client_id: address,
      client_name: "Acme",
      redirect_uris: ["http://127.0.0.1/callback"],
      token_endpoint_auth_method: "none",
      ...changes
    })
  )

/** A server of client ID metadata documents on loopback, for the lifetime of the scope. */
export const start = Effect.fnUntraced(function* (answer: (asked: Asked) => void = serve) {
  const asked: Array<string> = []
  const server = createServer((request, response) => {
    const address = `http://${request.headers.host}${request.url}`
    asked.push(address)
    answer({ method: request.method ?? "", accept: request.headers.accept ?? "", response, address })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  const { port } = server.address() as AddressInfo
  return { address: `http://127.0.0.1:${port}/client.json`, port, asked }
})
