import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { Caller } from "../accounts/Caller.ts"

type CallerOf = Caller["Service"]

interface ToolSession {
  /** The revision of the protocol. */
  readonly revision: string
  /** The caller that opened the session, with its latest credential. */
  caller: CallerOf
  /** Unix time in milliseconds. */
  usedAt: number
  /** Number of unanswered requests. */
  underway: number
}

interface Bounds {
  readonly perAccount: number
  readonly inAll: number
}

/** A session without a request ends after this time. */
const idleTime = Duration.minutes(30)

const defaultBounds: Bounds = { perAccount: 50, inAll: 10_000 }

/** True when both callers use the same API key, or the same connection of an app with any token. */
const isSame = (one: CallerOf, other: CallerOf): boolean => {
  if (one.user_id !== other.user_id) return false
  const [a, b] = [one.credential, other.credential]
  if (a._tag === "api_key") return b._tag === "api_key" && a.api_key_id === b.api_key_id
  return a._tag === "oauth" && b._tag === "oauth" && a.connection_id === b.connection_id
}

/**
 * The sessions of the tool server. Each session belongs to the credential that opened it; no other caller can use or end
 * it. Their number is limited. Sessions live in this process; `InstanceName` lets load balancers find it.
 */
export class ToolSessions extends Context.Service<
  ToolSessions,
  {
    /** Adds a session. Removes and returns the sessions that must end to make room. */
    readonly open: (id: string, revision: string, caller: CallerOf) => Effect.Effect<ReadonlyMap<string, CallerOf>>
    /** The revision of a caller's session; undefined when the caller has no such session. */
    readonly revisionOf: (id: string, caller: CallerOf) => Effect.Effect<string | undefined>
    /** Runs a request within a session. The session does not count as idle until the request ends. */
    readonly using: <A, E, R>(id: string, caller: CallerOf, request: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    readonly close: (id: string) => Effect.Effect<void>
    /** Removes and returns the sessions that have been idle for too long. */
    readonly closeIdle: Effect.Effect<ReadonlyMap<string, CallerOf>>
    readonly count: Effect.Effect<number>
  }
>()("app/mcp/ToolSessions") {
  static readonly layerWith = ({ inAll, perAccount }: Bounds) =>
    Layer.sync(ToolSessions, () => {
      /** The least recently used session comes first. */
      const sessions = new Map<string, ToolSession>()

      const touch = (id: string, session: ToolSession, now: number) => {
        session.usedAt = now
        sessions.delete(id)
        sessions.set(id, session)
      }

      /** Picks the session that ends to make room: the least recently used one, if possible without a request under way. */
      const oldest = (mayEnd: (session: ToolSession) => boolean) => {
        const candidates = Array.from(sessions).filter(([, session]) => mayEnd(session))
        return candidates.find(([, { underway }]) => underway === 0) ?? candidates[0]
      }

      const forget = (ended: ReadonlyArray<readonly [string, ToolSession] | undefined>) => {
        const forgotten = new Map<string, CallerOf>()
        for (const one of ended) {
          if (one === undefined) continue
          sessions.delete(one[0])
          forgotten.set(one[0], one[1].caller)
        }
        return forgotten
      }

      const open = (id: string, revision: string, caller: CallerOf) =>
        Effect.map(Clock.currentTimeMillis, (usedAt) => {
          const isTheirs = ({ caller: { user_id } }: ToolSession) => user_id === caller.user_id
          const own = Array.from(sessions.values()).filter(isTheirs).length
          const ended = own >= perAccount ? oldest(isTheirs) : sessions.size >= inAll ? oldest(() => true) : undefined
          const forgotten = forget([ended])
          sessions.set(id, { revision, caller, usedAt, underway: 0 })
          return forgotten
        })

      const revisionOf = (id: string, caller: CallerOf) =>
        Effect.sync(() => {
          const session = sessions.get(id)
          return session !== undefined && isSame(session.caller, caller) ? session.revision : undefined
        })

      const using = <A, E, R>(id: string, caller: CallerOf, request: Effect.Effect<A, E, R>) => {
        const step = (change: 1 | -1) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const session = sessions.get(id)
            if (session === undefined) return
            session.caller = caller
            session.underway += change
            touch(id, session, now)
          })
        return Effect.acquireUseRelease(
          step(1),
          () => request,
          () => step(-1)
        )
      }

      const closeIdle = Effect.map(Clock.currentTimeMillis, (now) => {
        const isIdle = ({ underway, usedAt }: ToolSession) =>
          underway === 0 && now - usedAt >= Duration.toMillis(idleTime)
        return forget(Array.from(sessions).filter(([, session]) => isIdle(session)))
      })

      return ToolSessions.of({
        open,
        revisionOf,
        using,
        close: (id) => Effect.sync(() => void sessions.delete(id)),
        closeIdle,
        count: Effect.sync(() => sessions.size)
      })
    })

  static readonly layer = this.layerWith(defaultBounds)
}
