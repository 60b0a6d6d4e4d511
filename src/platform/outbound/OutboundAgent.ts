import { Effect, type Scope } from "effect"
import * as Http from "node:http"
import * as Https from "node:https"
import { isIP, type LookupFunction, Socket } from "node:net"
import type { Resolve } from "./NameResolution.ts"
import { bound, dialled, options, secureOptions } from "./OutboundConnection.ts"

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

/** The agents for the two schemes. */
export interface Agents {
  readonly http: Http.Agent
  readonly https: Https.Agent
}

/** Gives the socket the checked addresses, so that a second DNS answer cannot lead elsewhere. */
const lookupFor =
  (target: Target, { refusal, resolve }: Guard): LookupFunction =>
  (name, _options, found) =>
    void resolve(name).then(
      (addresses) => found(refusal(target, addresses) ?? null, dialled(addresses)),
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
    if (socket) bound(socket)
    return socket
  }
  return agent
}

/** Ends every connection of the agents with the scope. */
export const scoped = <A extends Agents>(make: () => A): Effect.Effect<A, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.sync(make), ({ http, https }) =>
    Effect.sync(() => {
      http.destroy()
      https.destroy()
    })
  )

/**
 * Makes the agents for requests to untrusted addresses. They keep no connection, because the other side could hold it
 * open.
 */
export const make = (guard: Guard): Effect.Effect<Agents, never, Scope.Scope> =>
  scoped(() => ({
    http: guarded(new Http.Agent({ ...options, keepAlive: false }), false, guard),
    https: guarded(new Https.Agent({ ...secureOptions, keepAlive: false }), true, guard)
  }))
