import { once } from "node:events"
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http"
import { createConnection, isIPv4, type Socket } from "node:net"
import type { Duplex } from "node:stream"

export interface Login {
  readonly username: string
  readonly password: string
}

/** The time limit of polls that wait for the gateway on a busy machine. */
export const patience = { timeout: 60_000, interval: 20 }

interface Via {
  readonly host?: string
  readonly port: number
  readonly login?: Login
}

export const basic = ({ password, username }: Login) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`

const authorization = (login: Login | undefined) => (login === undefined ? {} : { "Proxy-Authorization": basic(login) })

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends a plain request through the proxy, in absolute form. */
export const fetchPlain = (
  { host = "127.0.0.1", login, port }: Via,
  url: string,
  options: { readonly method?: string; readonly headers?: OutgoingHttpHeaders; readonly body?: string } = {}
): Promise<Answer> =>
  new Promise((settle, reject) => {
    const headers = { Host: url.split("/")[2], ...authorization(login), ...options.headers }
    const call = request({ host, port, path: url, method: options.method ?? "GET", headers, agent: false })
    call.on("error", reject)
    call.on("response", (response) => {
      let body = ""
      response.setEncoding("latin1").on("data", (text: string) => (body += text))
      response.on("error", reject)
      response.on("end", () => settle({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    call.end(options.body)
  })

/** Sends a `CONNECT` through the proxy. The socket is open when the status is 200. */
export const connectVia = (
  { host = "127.0.0.1", login, port }: Via,
  authority: string
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly socket: Socket }> =>
  new Promise((settle, reject) => {
    const headers = { Host: authority, ...authorization(login) }
    const call = request({ host, port, method: "CONNECT", path: authority, headers, agent: false })
    call.on("error", reject)
    call.on("connect", (response, socket: Socket, head) => {
      if (head.length > 0) socket.unshift(head)
      socket.on("error", () => {})
      settle({ status: response.statusCode ?? 0, headers: response.headers, socket })
    })
    call.end()
  })

const take = async (socket: Socket, size: number): Promise<Buffer> => {
  for (;;) {
    const bytes: Buffer | null = socket.read(size)
    if (bytes?.length === size) return bytes
    if (bytes !== null || socket.readableEnded || socket.destroyed) throw new Error("the proxy closed")
    await Promise.race([once(socket, "readable"), once(socket, "end"), once(socket, "close")])
  }
}

export type SocksAnswer =
  | { readonly _tag: "NoMethod" }
  | { readonly _tag: "WrongLogin" }
  | { readonly _tag: "Reply"; readonly code: number; readonly socket: Socket }

const addressed = (host: string) => {
  if (isIPv4(host)) return [1, ...host.split(".").map(Number)]
  const name = Buffer.from(host)
  return [3, name.length, ...name]
}

/** Sends a SOCKS5 CONNECT. Without a login, it offers only "no authentication". */
export const socksVia = async ({ login, port }: Via, host: string, target: number): Promise<SocksAnswer> => {
  const socket = createConnection(port, "127.0.0.1").on("error", () => {})
  // Without a permanent listener, each `once` would report the buffered bytes again.
  socket.on("readable", () => {})
  socket.write(Buffer.from(login === undefined ? [5, 1, 0] : [5, 2, 0, 2]))
  const method = (await take(socket, 2))[1]
  if (method === 0xff) return { _tag: "NoMethod" }
  if (method === 2 && login !== undefined) {
    const [user, pass] = [Buffer.from(login.username), Buffer.from(login.password)]
    socket.write(Buffer.from([1, user.length, ...user, pass.length, ...pass]))
    if ((await take(socket, 2))[1] !== 0) return { _tag: "WrongLogin" }
  }
  socket.write(Buffer.from([5, 1, 0, ...addressed(host), target >> 8, target & 255]))
  const reply = await take(socket, 10)
  return { _tag: "Reply", code: reply[1] ?? -1, socket: socket.removeAllListeners("readable") }
}

/** Counts the bytes of a connection until it ends; `at` is the time of the end. */
export const drained = (socket: Duplex): Promise<{ readonly bytes: number; readonly at: number }> =>
  new Promise((settle) => {
    let bytes = 0
    socket.on("data", (chunk: Buffer) => (bytes += chunk.length))
    socket.once("close", () => settle({ bytes, at: Date.now() }))
    socket.once("end", () => socket.destroy())
  })
