import { NetAddress } from "effect/net"
import { isIPv4, type Socket } from "node:net"
import { authenticate, type Login, sourceAddress, speaks } from "../admission/ProxyAccess.ts"
import type { ProxyPort } from "../ports/ProxyPort.ts"
import { Refusal } from "../admission/Refusal.ts"
import { writeAddress } from "./SocksDatagram.ts"
import { associate } from "./UdpAssociation.ts"
import { closeGently, tunnel } from "./Tunnel.ts"

const version = 5
const noAuthentication = 0
const passwordAuthentication = 2
const noAcceptableMethod = 0xff
const connectCommand = 1
const associateCommand = 3
const commandNotSupported = 7
const addressTypeNotSupported = 8

/** The client disconnected or violated the protocol. It gets no answer. */
class Broken extends Error {}

const answered = (client: Socket, ...bytes: ReadonlyArray<number>) => {
  client.end(Buffer.from(bytes))
  closeGently(client)
}

/** Reads a handshake from a socket. Later bytes stay in the socket, for the tunnel. */
class Handshake {
  readonly client: Socket
  #wake = () => {}
  readonly #notify = () => this.#wake()

  /** Attaches one listener for the whole handshake, because each new listener reports the buffered bytes again. */
  constructor(client: Socket) {
    this.client = client
    for (const event of ["readable", "end", "close"]) client.on(event, this.#notify)
  }

  release() {
    for (const event of ["readable", "end", "close"]) this.client.off(event, this.#notify)
  }

  async take(size: number): Promise<Buffer> {
    if (size === 0) return Buffer.alloc(0)
    for (;;) {
      const bytes: Buffer | null = this.client.read(size)
      if (bytes?.length === size) return bytes
      if (bytes !== null || this.client.readableEnded || this.client.destroyed) throw new Broken()
      await new Promise<void>((settle) => (this.#wake = settle))
    }
  }

  async byte() {
    return (await this.take(1)).readUInt8()
  }

  async text() {
    return (await this.take(await this.byte())).toString("utf8")
  }
}

/** Negotiates the method (RFC 1928, section 3) and reads the login (RFC 1929). Undefined: no offered method is supported. */
const negotiate = async (handshake: Handshake, whitelisted: boolean): Promise<Login | "none" | undefined> => {
  const { client } = handshake
  await handshake.take(1)
  const methods = await handshake.take(await handshake.byte())
  if (whitelisted && methods.includes(noAuthentication)) {
    client.write(Buffer.from([version, noAuthentication]))
    return "none"
  }
  if (!methods.includes(passwordAuthentication)) return undefined
  client.write(Buffer.from([version, passwordAuthentication]))
  if ((await handshake.byte()) !== 1) throw new Broken()
  return { username: await handshake.text(), password: await handshake.text() }
}

interface Requested {
  readonly command: number
  readonly host: string
  readonly port: number
}

/** Reads a request (RFC 1928, section 4). A number is the reply that refuses it. */
const requested = async (handshake: Handshake, hasUdp: boolean): Promise<Requested | number> => {
  const [got, command, , type] = await handshake.take(4)
  if (got !== version) throw new Broken()
  let host: string
  if (type === 1) host = NetAddress.formatIp(NetAddress.ipv4FromBytesUnsafe(await handshake.take(4)))
  else if (type === 3) host = await handshake.text()
  else if (type === 4) host = NetAddress.formatIp(NetAddress.ipv6FromBytesUnsafe(await handshake.take(16)))
  else return addressTypeNotSupported
  const port = (await handshake.take(2)).readUInt16BE()
  const isSupported = command === connectCommand || (command === associateCommand && hasUdp)
  return isSupported ? { command, host, port } : commandNotSupported
}

const reply = (code: number, address?: string, port = 0): ReadonlyArray<number> => {
  const bound = address !== undefined && isIPv4(address) ? address.split(".").map(Number) : [0, 0, 0, 0]
  return [version, code, 0, 1, ...bound, port >> 8, port & 255]
}

/** Opens an association, which lasts as long as this connection. The client sends nothing more over the connection. */
const serveDatagrams = async (client: Socket, port: ProxyPort, username: string | undefined) => {
  const { address, port: relayPort } = await associate(client, port, username)
  client.setTimeout(0)
  client.once("end", () => client.destroy()).once("data", () => client.destroy())
  client.write(Buffer.from([version, 0, 0, ...writeAddress(address, relayPort)]))
}

const converse = async (client: Socket, port: ProxyPort, established: () => void) => {
  const handshake = new Handshake(client)
  const source = sourceAddress(client.remoteAddress)
  const whitelisted = port.proxy.whitelist.length > 0 && authenticate(port.proxy, source, undefined) === undefined
  const login = await negotiate(handshake, whitelisted)
  if (login === undefined) return answered(client, version, noAcceptableMethod)
  const refusal = port.admit(client, login === "none" ? undefined : login)
  if (login !== "none") {
    if (refusal !== undefined) {
      port.refused(client, refusal)
      return answered(client, 1, 1)
    }
    client.write(Buffer.from([1, 0]))
  }
  const username = login === "none" ? undefined : login.username
  const target = await requested(handshake, port.proxy.udp)
  if (typeof target === "number") return answered(client, ...reply(target))
  try {
    const refused = refusal ?? speaks(port.proxy, "SOCKS5")
    if (refused !== undefined) throw refused
    if (target.command === associateCommand) {
      established()
      handshake.release()
      return await serveDatagrams(client, port, username)
    }
    const upstream = await port.connect(client, target, username)
    established()
    handshake.release()
    client.write(Buffer.from(reply(0, upstream.localAddress, upstream.localPort)))
    tunnel(client, upstream)
  } catch (error) {
    if (error instanceof Refusal) port.refused(client, error, target)
    answered(client, ...reply(error instanceof Refusal ? error.socks : 1))
  }
}

/** Serves one SOCKS5 client (RFC 1928, without BIND). Calls `established` at the end of the handshake. */
export const serveSocks5 = (client: Socket, port: ProxyPort, established: () => void): void => {
  converse(client, port, established).catch(() => client.destroy())
}
