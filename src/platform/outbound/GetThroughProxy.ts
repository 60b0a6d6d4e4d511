import { type Duration, Effect, Result, Schema } from "effect"
import { NetAddress } from "effect/net"
import * as Http from "node:http"
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net"
import { performance } from "node:perf_hooks"
import type { Duplex } from "node:stream"
import { connect as connectTls } from "node:tls"
import { bound, dialled, options, secureOptions } from "./OutboundConnection.ts"
import { type Resolve, resolve as resolveName } from "./NameResolution.ts"
import { isDialable } from "./PublicAddress.ts"

/** The largest answer, in bytes. */
const mostBytes = 4_096

/**
 * The reason why a request through a proxy failed. `unreachable`: the proxy does not accept a connection.
 * `login_refused`: the proxy refuses the login. `refused`: the proxy refuses the destination. `no_answer`: the connection
 * ended, or the answer is not readable.
 */
export class ProxyFailed extends Schema.TaggedError<ProxyFailed>()("ProxyFailed", {
  failure: Schema.Literals(["unreachable", "login_refused", "refused", "no_answer", "timeout"]),
  /** The time until the proxy accepted the connection, in milliseconds; null when it did not. */
  connect_ms: Schema.NullOr(Schema.Int),
  /** True when the destination has answered, but not with 200: the proxy has carried the request. */
  has_answer: Schema.Boolean
}) {}

export interface ThroughProxy {
  readonly host: string
  readonly port: number
  readonly username: string
  readonly password: string
  readonly protocol: "HTTP" | "HTTPS" | "SOCKS5"
  /** True when the operator runs the proxy, so that it may be at a private address. */
  readonly isOwn: boolean
  /** The address of the request. */
  readonly url: URL
  /** True sends the login to a SOCKS5 proxy that needs none too. */
  readonly isLoginSent?: boolean
  /** The longest time, 10 seconds by default. */
  readonly within?: Duration.Input
  readonly resolve?: Resolve
}

export interface Answered {
  readonly body: string
  /** Milliseconds from the start until the proxy accepted the connection, and until the first byte of the answer. */
  readonly connect_ms: number
  readonly first_byte_ms: number
  /** Until TLS with the destination was agreed; null without TLS. */
  readonly tls_ms: number | null
}

type Failure = ProxyFailed["failure"]

/** Ends the request with its reason. */
class Failed extends Error {
  readonly failure: Failure
  readonly hasAnswer: boolean
  constructor(failure: Failure, hasAnswer = false) {
    super(failure)
    this.failure = failure
    this.hasAnswer = hasAnswer
  }
}

const isDialableText = (text: string) => {
  const address = NetAddress.ipFromString(text)
  return Result.isSuccess(address) && isDialable(NetAddress.toCanonical(address.success))
}

/** Connects to the proxy, by addresses that were checked. */
const connected = async ({ host, isOwn, port, resolve = resolveName }: ThroughProxy, signal: AbortSignal) => {
  const addresses = isIP(host) === 0 ? await resolve(host).catch(() => []) : [host]
  if (addresses.length === 0 || !(isOwn || addresses.every(isDialableText))) throw new Failed("unreachable")
  const lookup: LookupFunction = (_name, _options, found) => found(null, dialled(addresses))
  return await new Promise<Socket>((settle, reject) => {
    const socket = connectTcp({ ...options, host, port, lookup, signal })
    socket.once("error", () => reject(new Failed("unreachable")))
    socket.once("connect", () => {
      socket.setNoDelay(true)
      settle(socket)
    })
  })
}

/** Asks an HTTP proxy for a tunnel (RFC 9110, section 9.3.6). */
const tunnelByHttp = (socket: Socket, { password, url, username }: ThroughProxy, authority: string) =>
  new Promise<Socket>((settle, reject) => {
    bound(socket)
    const request = Http.request({
      createConnection: () => socket,
      method: "CONNECT",
      path: authority,
      headers: {
        host: url.host,
        "proxy-authorization": `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`
      }
    })
    const refuse = (status: number | undefined) => reject(new Failed(status === 407 ? "login_refused" : "refused"))
    request.once("connect", ({ statusCode }) => (statusCode === 200 ? settle(socket) : refuse(statusCode)))
    request.once("response", ({ statusCode }) => refuse(statusCode))
    request.once("error", () => reject(new Failed("no_answer")))
    request.end()
  })

/** Reads exactly `size` bytes. */
const take = (socket: Socket, size: number) =>
  new Promise<Buffer>((settle, reject) => {
    const end = (act: () => void) => {
      for (const event of ["readable", "end", "close"]) socket.off(event, read)
      act()
    }
    const read = () => {
      const bytes: Buffer | null = socket.read(size)
      if (bytes?.length === size) end(() => settle(bytes))
      else if (bytes !== null || socket.readableEnded || socket.destroyed) end(() => reject(new Failed("no_answer")))
    }
    for (const event of ["readable", "end", "close"]) socket.on(event, read)
    read()
  })

const noLogin = 0
const withPassword = 2
const connectCommand = 1
const byName = 3

/** A text after its length in one byte. */
const counted = (text: string) => {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}

/** The bytes of the bound address in a reply, by its type: IPv4, a name, IPv6 (RFC 1928, section 6). */
const boundLength = async (socket: Socket, type: number | undefined) => {
  if (type === byName) return (await take(socket, 1)).readUInt8()
  return type === 4 ? 16 : 4
}

/** Asks a SOCKS5 proxy for a tunnel (RFC 1928), with the login of RFC 1929. */
const tunnelBySocks = async (
  socket: Socket,
  { isLoginSent = false, password, username }: ThroughProxy,
  host: string,
  port: number
) => {
  socket.write(Buffer.from(isLoginSent ? [5, 1, withPassword] : [5, 2, noLogin, withPassword]))
  const [, method] = await take(socket, 2)
  if (method !== noLogin && method !== withPassword) throw new Failed("login_refused")
  if (method === withPassword) {
    socket.write(Buffer.concat([Buffer.from([1]), counted(username), counted(password)]))
    const [, outcome] = await take(socket, 2)
    if (outcome !== 0) throw new Failed("login_refused")
  }
  const target = Buffer.concat([counted(host), Buffer.from([port >> 8, port & 0xff])])
  socket.write(Buffer.concat([Buffer.from([5, connectCommand, 0, byName]), target]))
  const [, reply, , type] = await take(socket, 4)
  if (reply !== 0) throw new Failed("refused")
  await take(socket, (await boundLength(socket, type)) + 2)
  // Before, it would read the bytes of the handshake.
  bound(socket)
  return socket
}

/** Opens a tunnel to the destination. `onTls` is called when TLS is agreed. */
const tunnelled = async (socket: Socket, proxy: ThroughProxy, onTls: () => void): Promise<Duplex> => {
  const isSecure = proxy.url.protocol === "https:"
  const host = proxy.url.hostname.replace(/^\[|\]$/g, "")
  const port = Number(proxy.url.port || (isSecure ? 443 : 80))
  const authority = `${proxy.url.hostname}:${port}`
  const tunnel =
    proxy.protocol === "SOCKS5"
      ? await tunnelBySocks(socket, proxy, host, port)
      : await tunnelByHttp(socket, proxy, authority)
  if (!isSecure) return tunnel
  const secured = connectTls({ ...secureOptions, socket: tunnel, ...(isIP(host) === 0 && { servername: host }) })
  return secured.once("secureConnect", onTls)
}

/** Sends the request through the tunnel. */
const fetched = (tunnel: Duplex, { url }: ThroughProxy) =>
  new Promise<{ readonly body: string; readonly at: number }>((settle, reject) => {
    const fail = () => reject(new Failed("no_answer"))
    const request = Http.request({
      createConnection: () => tunnel,
      path: `${url.pathname}${url.search}`,
      headers: { host: url.host, accept: "application/json", connection: "close" }
    })
    request.once("error", fail)
    request.once("response", (answer) => {
      const at = performance.now()
      let body = ""
      answer.setEncoding("utf8")
      answer.on("data", (chunk: string) => {
        body += chunk
        if (body.length > mostBytes) tunnel.destroy()
      })
      answer.once("error", fail)
      answer.once("end", () => {
        if (answer.statusCode === 200 && body.length <= mostBytes) settle({ body, at })
        else reject(new Failed("no_answer", answer.statusCode !== 200))
      })
    })
    request.end()
  })

/**
 * Gets a URL through a proxy, with its login, and measures the way. The caller chooses the URL, never a customer. A proxy
 * that the operator does not run must be at a public address.
 */
export const getThroughProxy = (proxy: ThroughProxy): Effect.Effect<Answered, ProxyFailed> =>
  Effect.suspend(() => {
    const started = performance.now()
    let connect_ms: number | null = null
    let tls_ms: number | null = null
    const since = (at: number) => Math.round(at - started)
    const failed = (failure: Failure, has_answer = false) => new ProxyFailed({ failure, connect_ms, has_answer })
    return Effect.tryPromise({
      try: async (signal) => {
        const socket = await connected(proxy, signal)
        connect_ms = since(performance.now())
        try {
          const tunnel = await tunnelled(socket, proxy, () => (tls_ms = since(performance.now())))
          const { at, body } = await fetched(tunnel, proxy)
          return { body, connect_ms, first_byte_ms: since(at), tls_ms }
        } finally {
          socket.destroy()
        }
      },
      catch: (error) => (error instanceof Failed ? failed(error.failure, error.hasAnswer) : failed("no_answer"))
    }).pipe(
      Effect.timeoutOrElse({ duration: proxy.within ?? "10 seconds", orElse: () => Effect.fail(failed("timeout")) })
    )
  })
