import { createSocket, type RemoteInfo, type Socket } from "node:dgram"
import { once } from "node:events"
import { isIPv6 } from "node:net"
import { Refusal } from "../admission/Refusal.ts"
import type { LoggedConnection } from "../traffic/ConnectionLog.ts"
import type { MeteredLink, TrafficMeter } from "../traffic/TrafficMeter.ts"
import type { DestinationGuard } from "./DestinationGuard.ts"

/** The open destinations of one association. Beyond it, the one that was used longest ago is closed. */
const mostDestinations = 256
/** The local addresses that one association may leave from. A proxy with an exit address has one. */
const mostSockets = 2
/** The destinations that are resolved at once, the datagrams that wait for one of them, and the bytes of all. The rest is lost. */
const mostWaiting = 16
const mostWaitingBytes = 64 * 1024
/** The bytes that may wait in a socket of the system. Further datagrams are lost. */
const mostQueuedBytes = 512 * 1024

interface Destination {
  readonly host: string
  readonly port: number
  readonly remote: string
  /** The key of its address and port. */
  readonly peer: string
  readonly socket: Socket
  readonly recorded: LoggedConnection | undefined
}

/** Where the datagrams to a destination leave. */
interface Leaving {
  readonly localAddress: string
  readonly localPort: number
  readonly remoteAddress: string
}

export interface UdpExitOptions {
  /** The source address of datagrams. Null: the operating system chooses it. */
  readonly exit_ip: string | null
  readonly meter: TrafficMeter
  readonly idleMillis: number
  /** The present rules about destinations. */
  readonly guard: () => DestinationGuard
  /** False when the proxy opens new destinations too fast. */
  readonly mayOpen: () => boolean
  readonly opened: (leaving: Leaving, port: number) => LoggedConnection | undefined
  readonly closed: (recorded: LoggedConnection) => void
  readonly refused: (refusal: Refusal, destination: Pick<Destination, "host" | "port">) => void
  /** Receives a datagram from a destination. */
  readonly receive: (remote: string, port: number, data: Buffer) => void
  /** The association has ended: by its silence, by the traffic limit or by `close`. */
  readonly ended: () => void
}

/** Addresses are literals here, so no name is looked up. */
const makeSocket = (ip: string) =>
  createSocket({
    type: isIPv6(ip) ? "udp6" : "udp4",
    ipv6Only: isIPv6(ip),
    lookup: (address, _, done) => done(null, address, isIPv6(address) ? 6 : 4)
  }).on("error", () => {})

/** Finds the address from which the system reaches another one. Sends nothing. */
const localAddressTo = async (remote: string, port: number): Promise<string> => {
  const socket = makeSocket(remote)
  try {
    const connected = once(socket, "connect")
    socket.connect(port, remote)
    await connected
    return socket.address().address
  } finally {
    socket.close()
  }
}

const refusalOf = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error
  return Refusal.unreachable(error instanceof Error && "code" in error ? String(error.code) : "error")
}

const keyOf = (host: string, port: number) => `${host} ${port}`

/**
 * The side of a UDP association (RFC 1928, section 7) that faces destinations: it sends from the exit address of the proxy,
 * checks each destination like that of a connection, and receives only from destinations that the client has sent to. The
 * bytes of datagrams pass the meter of the proxy in both directions; a datagram that may not pass whole is lost.
 */
export class UdpExit implements MeteredLink {
  readonly #options: UdpExitOptions
  readonly #sockets = new Map<string, Promise<Socket>>()
  /** By the host and port that the client names, the least recently used first. */
  readonly #open = new Map<string, Destination>()
  /** The open destinations by address and port. */
  readonly #peers = new Map<string, Destination>()
  /** The datagrams that wait until their destination is resolved. */
  readonly #waiting = new Map<string, Array<Buffer>>()
  #waitingBytes = 0
  /** The bytes that have passed the meter and not left: a part of a lost datagram. */
  #paid = 0
  #closed = false
  readonly #idle: NodeJS.Timeout

  constructor(options: UdpExitOptions) {
    this.#options = options
    this.#idle = setTimeout(() => this.close(), options.idleMillis)
    options.meter.attach(this)
  }

  /** Sends a datagram of the client. Datagrams to a forbidden destination are lost, and counted as refusals. */
  send(host: string, port: number, data: Buffer) {
    if (this.#closed) return
    this.#idle.refresh()
    const key = keyOf(host, port)
    const known = this.#open.get(key)
    if (known === undefined) return this.#wait(key, host, port, data)
    this.#open.delete(key)
    this.#open.set(key, known)
    // Another name of the same address may have been closed.
    if (!this.#peers.has(known.peer)) this.#peers.set(known.peer, known)
    this.#transmit(known, data)
  }

  #transmit({ port, remote, socket }: Destination, data: Buffer) {
    if (socket.getSendQueueSize() > mostQueuedBytes || !this.#pay("up", data.length)) return
    socket.send(data, port, remote, () => {})
  }

  #pay(direction: "down" | "up", bytes: number): boolean {
    if (this.#paid < bytes) this.#paid += this.#options.meter.pass(this, direction, bytes - this.#paid)
    if (this.#paid < bytes) return false
    this.#paid -= bytes
    return true
  }

  #wait(key: string, host: string, port: number, data: Buffer) {
    const waiting = this.#waiting.get(key)
    const ahead = waiting === undefined ? this.#waiting.size : waiting.length
    if (ahead >= mostWaiting || this.#waitingBytes + data.length > mostWaitingBytes) return
    this.#waitingBytes += data.length
    if (waiting !== undefined) return void waiting.push(data)
    this.#waiting.set(key, [data])
    void this.#reach(host, port).then(
      (destination) => this.#release(key, destination),
      (error: unknown) => {
        this.#release(key, undefined)
        this.#options.refused(refusalOf(error), { host, port })
      }
    )
  }

  #release(key: string, destination: Destination | undefined) {
    const waiting = this.#waiting.get(key) ?? []
    this.#waiting.delete(key)
    for (const data of waiting) {
      this.#waitingBytes -= data.length
      if (destination !== undefined && !this.#closed) this.#transmit(destination, data)
    }
  }

  async #reach(host: string, port: number): Promise<Destination | undefined> {
    const { guard, mayOpen, opened } = this.#options
    if (!mayOpen()) throw Refusal.openings
    const { remote, socket } = await this.#first(await guard().resolve(host, port), port)
    const refusal = guard().forbids(host, port, remote)
    if (refusal !== undefined) throw refusal
    if (this.#closed) return undefined
    const { address: localAddress, port: localPort } = socket.address()
    const recorded = opened({ localAddress, localPort, remoteAddress: remote }, port)
    const destination = { host, port, remote, peer: keyOf(remote, port), socket, recorded }
    this.#open.set(keyOf(host, port), destination)
    this.#peers.set(destination.peer, destination)
    const [oldest] = this.#open.values()
    if (this.#open.size > mostDestinations && oldest !== undefined) this.#forget(oldest)
    return destination
  }

  /** Finds the first address that this machine can send to. */
  async #first(remotes: ReadonlyArray<string>, port: number) {
    let failure: unknown = Refusal.unresolved
    for (const remote of remotes) {
      try {
        return { remote, socket: await this.#socketTo(remote, port) }
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  async #socketTo(remote: string, port: number): Promise<Socket> {
    const local = this.#options.exit_ip ?? (await localAddressTo(remote, port))
    const known = this.#sockets.get(local)
    if (known !== undefined) return known
    if (this.#closed || this.#sockets.size >= mostSockets) throw Refusal.exit
    const made = this.#bind(local)
    this.#sockets.set(local, made)
    return made
  }

  async #bind(local: string): Promise<Socket> {
    const socket = makeSocket(local)
    try {
      // A literal address is bound at once.
      const listening = once(socket, "listening")
      socket.bind({ address: local, port: 0, exclusive: true })
      await listening
    } catch (error) {
      this.#sockets.delete(local)
      socket.close()
      throw error
    }
    return socket.on("message", (data, from) => this.#receive(data, from))
  }

  #receive(data: Buffer, { address, port }: RemoteInfo) {
    if (this.#closed || !this.#peers.has(keyOf(address, port)) || !this.#pay("down", data.length)) return
    this.#idle.refresh()
    this.#options.receive(address, port, data)
  }

  #forget(destination: Destination) {
    const { host, peer, port, recorded } = destination
    this.#open.delete(keyOf(host, port))
    if (this.#peers.get(peer) === destination) this.#peers.delete(peer)
    if (recorded !== undefined) this.#options.closed(recorded)
  }

  /** Closes the destinations that the rules forbid. */
  enforceRules() {
    for (const destination of this.#open.values()) {
      const { host, port, remote } = destination
      if (this.#options.guard().forbids(host, port, remote) !== undefined) this.#forget(destination)
    }
  }

  resumeTraffic() {}

  endTraffic() {
    this.close()
  }

  close() {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#idle)
    this.#options.meter.detach(this)
    for (const destination of this.#open.values()) this.#forget(destination)
    for (const socket of this.#sockets.values())
      void socket.then(
        (open) => open.close(),
        () => {}
      )
    this.#options.ended()
  }
}
