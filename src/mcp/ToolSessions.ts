import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { Caller } from "../accounts/Caller.ts"

type CallerOf = Caller["Service"]

interface ToolSession {
  /** Who opened it; the newest form of them. */
  caller: CallerOf
  /** In milliseconds. */
  usedAt: number
  /** Requests that are not answered yet. */
  underway: number
}

interface Bounds {
  readonly perAccount: number
  readonly inAll: number
}

/** A session without a request for so long ends. */
const idleTime = Duration.minutes(30)

const defaultBounds: Bounds = { perAccount: 50, inAll: 10_000 }

/** Two forms of one caller: the same key, or the same connection of an app, whatever its token. */
const isSame = (one: CallerOf, other: CallerOf): boolean => {
  if (one.user_id !== other.user_id) return false
  const [a, b] = [one.credential, other.credential]
  if (a._tag === "api_key") return b._tag === "api_key" && a.api_key_id === b.api_key_id
  return a._tag === "oauth" && b._tag === "oauth" && a.connection_id === b.connection_id
}

/**
 * Whose the sessions of the tool server are: each belongs to the credential that opened it, nobody else can use or end
 * it, and there is room for a limited number. They live in this process, which `InstanceName` has load balancers find.
 */
export class ToolSessions extends Context.Service<
  ToolSessions,
  {
    /** Keeps a new session; answers the ones that must end to make room, which are forgotten. */
    readonly open: (id: string, caller: CallerOf) => Effect.Effect<ReadonlyMap<string, CallerOf>>
    readonly isOf: (id: string, caller: CallerOf) => Effect.Effect<boolean>
    /** Does something within a session, which is not idle meanwhile. */
    readonly using: <A, E, R>(id: string, caller: CallerOf, request: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    readonly close: (id: string) => Effect.Effect<void>
    /** Forgets the sessions that have been idle for too long, and answers them. */
    readonly closeIdle: Effect.Effect<ReadonlyMap<string, CallerOf>>
    readonly count: Effect.Effect<number>
  }
>()("app/mcp/ToolSessions") {
  static readonly layerWith = ({ inAll, perAccount }: Bounds) =>
    Layer.sync(ToolSessions, () => {
      /** The least recently used first. */
      const sessions = new Map<string, ToolSession>()

      const touch = (id: string, session: ToolSession, now: number) => {
        session.usedAt = now
        sessions.delete(id)
        sessions.set(id, session)
      }

      /** The one that ends when there is no room: the longest unused, one without a request under way if there is any. */
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

      const open = (id: string, caller: CallerOf) =>
        Effect.map(Clock.currentTimeMillis, (usedAt) => {
          const isTheirs = ({ caller: { user_id } }: ToolSession) => user_id === caller.user_id
          const own = Array.from(sessions.values()).filter(isTheirs).length
          const ended = own >= perAccount ? oldest(isTheirs) : sessions.size >= inAll ? oldest(() => true) : undefined
          const forgotten = forget([ended])
          sessions.set(id, { caller, usedAt, underway: 0 })
          return forgotten
        })

      const isOf = (id: string, caller: CallerOf) =>
        Effect.sync(() => {
          const session = sessions.get(id)
          return session !== undefined && isSame(session.caller, caller)
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
        isOf,
        using,
        close: (id) => Effect.sync(() => void sessions.delete(id)),
        closeIdle,
        count: Effect.sync(() => sessions.size)
      })
    })

  static readonly layer = this.layerWith(defaultBounds)
}
