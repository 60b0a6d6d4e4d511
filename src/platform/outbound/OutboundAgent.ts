import { Effect, type Scope } from "effect"
import { constants } from "node:crypto"
import * as Http from "node:http"
import * as Https from "node:https"
import { isIP, isIPv4, isIPv6, type LookupFunction, Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { Resolve } from "./NameResolution.ts"

export interface Target {
  readonly secure: boolean
  readonly host: string
  readonly port: number
}

export interface Guard {
  readonly resolve: Resolve
  /** Returns the reason not to connect to a target with these addresses; undefined without one. */
  readonly refusal: (target: Target, addresses: ReadonlyArray<string>) => Error | undefined
}

const attemptsPerFamily = 2

/** Byte limit of one connection. Node's parser limits each head, but reads any number of interim responses. */
const mostBytes = 48 * 1024

/** Ends a connection that sends more than a response needs, because it would keep the whole process busy. */
const bounded = <S extends Duplex>(socket: S): S => {
  let bytes = 0
  const count = (chunk: Uint8Array) => {
    bytes += chunk.length
    if (bytes > mostBytes) socket.destroy(Object.assign(new Error("Too many bytes"), { code: "ANSWER_TOO_LARGE" }))
  }
  // A server can send TLS session tickets without end, and Node does not count them as data.
  return socket.on("data", count).on("session", count)
}

/** Gives the socket the checked addresses, so that a second DNS answer cannot lead elsewhere. */
const lookupFor =
  (target: Target, { refusal, resolve }: Guard): LookupFunction =>
  (name, _options, found) =>
    void resolve(name).then(
      (addresses) => {
        const dialled = [isIPv4, isIPv6].flatMap((is) => addresses.filter(is).slice(0, attemptsPerFamily))
        found(
          refusal(target, addresses) ?? null,
          dialled.map((address) => ({ address, family: isIP(address) }))
        )
      },
      (error) => found(error, [])
    )

const guarded = <A extends Http.Agent>(agent: A, secure: boolean, guard: Guard): A => {
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, opened) => {
    const target = { secure, host: options.host ?? "", port: Number(options.port) }
    // A socket does not look up a host that is an address.
    const refused = isIP(target.host) === 0 ? undefined : guard.refusal(target, [target.host])
    if (refused !== undefined) return new Socket().destroy(refused)
    const socket = connect({ ...options, lookup: lookupFor(target, guard) }, opened)
    return socket ? bounded(socket) : socket
  }
  return agent
}

/** Two seconds for each address: enough for a slow link, and four addresses fit into ten seconds. */
const options = { keepAlive: false, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 2_000 }

const secureOptions = {
  ...options,
  // Set here, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off.
  rejectUnauthorized: true,
  // A server could request TLS 1.2 handshakes without end, and Node does not count them as data.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  maxCachedSessions: 0
}

/**
 * Makes the agents for requests to untrusted addresses. They keep no connection, because the other side could hold it
 * open.
 */
export const make = (
  guard: Guard
): Effect.Effect<{ readonly http: Http.Agent; readonly https: Https.Agent }, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => ({
      http: guarded(new Http.Agent(options), false, guard),
      https: guarded(new Https.Agent(secureOptions), true, guard)
    })),
    ({ http, https }) =>
      Effect.sync(() => {
        http.destroy()
        https.destroy()
      })
  )
