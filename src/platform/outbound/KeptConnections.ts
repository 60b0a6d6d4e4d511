import type { Effect, Scope } from "effect"
import * as Http from "node:http"
import * as Https from "node:https"
import type { LookupFunction } from "node:net"
import { performance } from "node:perf_hooks"
import type { Duplex } from "node:stream"
import { type Agents, scoped } from "./OutboundAgent.ts"
import { bound, dialled, options, type Received, secureOptions } from "./OutboundConnection.ts"

/** The addresses that a request may use: all addresses of its host, just checked. */
export interface Checked {
  readonly addresses: ReadonlyArray<string>
  /** Identifies the addresses; their order does not matter. */
  readonly key: string
}

export const checked = (addresses: ReadonlyArray<string>): Checked => ({
  addresses,
  key: addresses.toSorted().join()
})

const limits = {
  /** Below the five seconds after which many servers close a connection without requests. */
  idleMillis: 4_000,
  /** A busy connection ends too, because only a new one checks the certificate again. */
  ageMillis: 60_000,
  /** Several endpoints may share a server; webhooks send up to eight requests to each in parallel. */
  perReceiver: 32,
  /** A TLS connection takes about 80 KiB of memory. */
  total: 1024
}
export type Limits = typeof limits

/** Returns the limit for all receivers together in a process that may open `openFiles` files. */
export const totalOf = (openFiles: number) => Math.min(limits.total, Math.floor(openFiles / 16))

interface Connection {
  readonly receiver: string
  readonly openedAt: number
  readonly received: Received
  /** True when the last answer was a good one. */
  proven: boolean
  /** True while it waits for a request. */
  waits: boolean
}

/**
 * Counts the connections that wait for their next request. A connection may wait only after a good answer, because the
 * other side could hold it open.
 */
class Waiting {
  readonly #limits: Limits
  readonly #connections = new WeakMap<Duplex, Connection>()
  readonly #receivers = new Map<string, number>()
  #total = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  opened(socket: Duplex, receiver: string): void {
    const openedAt = performance.now()
    const connection = { receiver, openedAt, received: bound(socket), proven: false, waits: false }
    this.#connections.set(socket, connection)
    socket.once("close", () => this.#change(connection, false))
  }

  answered(socket: Duplex, status: number): void {
    const connection = this.#connections.get(socket)
    if (connection !== undefined) connection.proven = status >= 200 && status < 300
  }

  /** Lets a connection wait for its next request, unless a limit is reached. */
  keep(socket: Duplex): boolean {
    const connection = this.#connections.get(socket)
    if (connection === undefined || !connection.proven) return false
    const { ageMillis, perReceiver, total } = this.#limits
    if (performance.now() - connection.openedAt > ageMillis) return false
    if (this.#total >= total || this.#of(connection) >= perReceiver) return false
    this.#change(connection, true)
    return true
  }

  reused(socket: Duplex): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined) return
    this.#change(connection, false)
    connection.received.bytes = 0
    connection.proven = false
  }

  /** True when the other side has sent nothing since the connection was reused. */
  isSilent(socket: Duplex | null): boolean {
    return socket !== null && this.#connections.get(socket)?.received.bytes === 0
  }

  #of({ receiver }: Connection): number {
    return this.#receivers.get(receiver) ?? 0
  }

  #change(connection: Connection, waits: boolean): void {
    if (connection.waits === waits) return
    connection.waits = waits
    const change = waits ? 1 : -1
    const left = this.#of(connection) + change
    this.#total += change
    if (left === 0) this.#receivers.delete(connection.receiver)
    else this.#receivers.set(connection.receiver, left)
  }
}

/** The options of a request: the agents connect to nothing but the checked addresses. */
export interface CheckedOptions extends Http.ClientRequestArgs {
  readonly checked: Checked
}

const keeping = <A extends Http.Agent>(agent: A, scheme: keyof Agents, waiting: Waiting): A => {
  const connect = agent.createConnection.bind(agent)
  const getName = agent.getName.bind(agent)
  const keepSocketAlive = agent.keepSocketAlive.bind(agent)
  const reuseSocket = agent.reuseSocket.bind(agent)
  return Object.assign(agent, {
    // The addresses are a part of the name: a host that leads elsewhere gets none of its former connections.
    getName: (options: CheckedOptions) => `${getName(options)}:${options.checked.key}`,
    createConnection: (options: CheckedOptions, opened?: (error: Error | null, stream: Duplex) => void) => {
      const lookup: LookupFunction = (_name, _options, found) => found(null, dialled(options.checked.addresses))
      const socket = connect({ ...options, lookup }, opened)
      if (socket) waiting.opened(socket, `${scheme}://${options.host}:${options.port}`)
      return socket
    },
    keepSocketAlive: (socket: Duplex) => Boolean(keepSocketAlive(socket)) && waiting.keep(socket),
    reuseSocket: (socket: Duplex, request: Http.ClientRequest) => {
      waiting.reused(socket)
      reuseSocket(socket, request)
    }
  })
}

/** Agents that keep connections to receivers whose last answer was good, for a few seconds. */
export interface KeepingAgents extends Agents {
  /** Notes the status of an answer. */
  readonly answered: (socket: Duplex, status: number) => void
  /** True when the other side has sent nothing since the connection was reused. */
  readonly isSilent: (socket: Duplex | null) => boolean
}

export const make = (given: Partial<Limits> = {}): Effect.Effect<KeepingAgents, never, Scope.Scope> =>
  scoped(() => {
    const all = { ...limits, ...given }
    const waiting = new Waiting(all)
    // `timeout` ends a connection without requests; requests have no time limit here.
    const kept = { keepAlive: true, timeout: all.idleMillis, maxFreeSockets: all.perReceiver }
    return {
      http: keeping(new Http.Agent({ ...options, ...kept }), "http", waiting),
      https: keeping(new Https.Agent({ ...secureOptions, ...kept }), "https", waiting),
      answered: (socket, status) => waiting.answered(socket, status),
      isSilent: (socket) => waiting.isSilent(socket)
    }
  })
