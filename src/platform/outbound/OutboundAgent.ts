import { Effect, type Scope } from "effect"
import { constants } from "node:crypto"
import * as Http from "node:http"
import * as Https from "node:https"
import { isIP, isIPv4, isIPv6, type LookupFunction, Socket } from "node:net"
import type { Duplex } from "node:stream"

export interface Target {
  readonly secure: boolean
  readonly host: string
  readonly port: number
}

export interface Guard {
  /** Every address of a name. */
  readonly resolve: (name: string) => Promise<ReadonlyArray<string>>
  /** Why a target that has these addresses may not be connected to. */
  readonly refusal: (target: Target, addresses: ReadonlyArray<string>) => Error | undefined
}

const attemptsPerFamily = 2

/** Of one connection: the parser itself bounds a head, but reads on for as many interim answers as are sent. */
const mostBytes = 48 * 1024

/** Ends a connection that brings more than an answer needs, which would keep the whole process busy. */
const bounded = <S extends Duplex>(socket: S): S => {
  let bytes = 0
  const count = (chunk: Uint8Array) => {
    bytes += chunk.length
    if (bytes > mostBytes) socket.destroy(Object.assign(new Error("Too many bytes"), { code: "ANSWER_TOO_LARGE" }))
  }
  // TLS brings tickets (`session`) without end just as well, which are no data.
  return socket.on("data", count).on("session", count)
}

/** A socket uses these very addresses, so a second answer of DNS cannot lead elsewhere. */
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
    // A socket looks no address up.
    const refused = isIP(target.host) === 0 ? undefined : guard.refusal(target, [target.host])
    if (refused !== undefined) return new Socket().destroy(refused)
    const socket = connect({ ...options, lookup: lookupFor(target, guard) }, opened)
    return socket ? bounded(socket) : socket
  }
  return agent
}

/** A slow link is given time, and still four addresses have their turn in ten seconds. */
const options = { keepAlive: false, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 2_000 }

const secureOptions = {
  ...options,
  // Said here, so that NODE_TLS_REJECT_UNAUTHORIZED cannot say otherwise.
  rejectUnauthorized: true,
  // A server could ask for new handshakes of TLS 1.2 without end, which are no data.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  maxCachedSessions: 0
}

/** Agents for requests to addresses that strangers gave. No connection is kept: a stranger could hold it open. */
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
