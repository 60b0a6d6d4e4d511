import { type IncomingMessage, request as httpRequest, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { endToEnd, relayAnswer, type Target } from "./HttpForward.ts"
import type { MeteredSocket } from "../traffic/MeteredSocket.ts"
import { Refusal } from "../admission/Refusal.ts"
import { closeGently, endWith, tunnel } from "./Tunnel.ts"

/**
 * True when a plain request asks for another protocol on its connection (RFC 9110, section 7.8), such as WebSocket. False
 * for a request with a body and for HTTP/2, which the gateway does not meter: these get an ordinary answer.
 */
export const isUpgrade = ({ headers, httpVersionMinor, method }: IncomingMessage): boolean =>
  method === "GET" &&
  httpVersionMinor === 1 &&
  headers.upgrade !== undefined &&
  !/(^|,)\s*(h2c|tls)/i.test(headers.upgrade) &&
  headers["content-length"] === undefined &&
  headers["transfer-encoding"] === undefined

const upgradeFields = (protocol: string | undefined) => ["Upgrade", protocol ?? "", "Connection", "Upgrade"]

const headOf = (answer: IncomingMessage) => {
  const fields = [...endToEnd(answer), ...upgradeFields(answer.headers.upgrade)]
  const lines = fields.map((field, index) => (index % 2 === 0 ? `${field}: ` : `${field}\r\n`))
  return Buffer.from(`HTTP/1.1 101 ${answer.statusMessage ?? ""}\r\n${lines.join("")}\r\n`, "latin1")
}

/**
 * Asks the destination for the other protocol. When the destination agrees, the connection becomes a tunnel. Otherwise
 * forwards its answer and ends the connection. Fails when no answer arrives.
 */
export const upgrade = (request: IncomingMessage, client: Socket, { path, url }: Target, upstream: MeteredSocket) =>
  new Promise<void>((settle, reject) => {
    const failed = (error: unknown) => {
      upstream.destroy()
      reject(error)
    }
    if (!endWith(client, upstream)) return failed(Refusal.upstream)
    const outgoing = httpRequest({
      createConnection: () => upstream,
      method: "GET",
      path,
      headers: ["Host", url.host, ...endToEnd(request, "host"), ...upgradeFields(request.headers.upgrade)],
      setHost: false,
      insecureHTTPParser: false
    })
    let isAnswered = false
    outgoing.once("upgrade", (answer, _, head) => {
      isAnswered = true
      client.write(headOf(answer))
      if (head.length > 0) upstream.unshift(head)
      tunnel(client, upstream)
      settle()
    })
    outgoing.once("response", (answer) => {
      isAnswered = true
      const response = new ServerResponse(request)
      response.assignSocket(client)
      response.shouldKeepAlive = false
      response.once("finish", () => closeGently(client))
      try {
        relayAnswer(answer, response, client, upstream)
        settle()
      } catch (error) {
        failed(error)
      }
    })
    outgoing.once("error", failed)
    outgoing.once("close", () => {
      if (isAnswered) return
      upstream.destroy()
      reject(Refusal.upstream)
    })
    outgoing.end()
  })
