import { Clock, Effect, Option } from "effect"
import { CredentialChanges, type Subject } from "./CredentialChanges.ts"

const entriesAtMost = 10_000
/** Upper bound for the use of a copy, in case a change sends no notification. */
const rememberedMillis = 60_000

interface Options<A> {
  /** The subjects whose change drops the value. */
  readonly subjectsOf: (value: A) => ReadonlyArray<Subject>
  /** The time at which the value ends, in milliseconds; undefined when it has no end. */
  readonly endOf: (value: A) => number | undefined
}

interface Entry<A> {
  readonly value: A
  readonly end: number
  readonly subjects: ReadonlyArray<Subject>
}

/** Holds the 10,000 values that were read last. Finds them by id, and removes them by subject. */
const makeEntries = <A>() => {
  const entries = new Map<string, Entry<A>>()
  const ids = new Map<Subject, Set<string>>()

  const remove = (id: string) => {
    for (const subject of entries.get(id)?.subjects ?? []) {
      const same = ids.get(subject)
      same?.delete(id)
      if (same?.size === 0) ids.delete(subject)
    }
    entries.delete(id)
  }
  const set = (id: string, entry: Entry<A>) => {
    remove(id)
    entries.set(id, entry)
    for (const subject of entry.subjects) ids.set(subject, (ids.get(subject) ?? new Set()).add(id))
    for (const oldest of entries.keys()) {
      if (entries.size <= entriesAtMost) break
      remove(oldest)
    }
  }
  return {
    get: (id: string) => entries.get(id),
    set,
    removeAbout: (subject: Subject) => [...(ids.get(subject) ?? [])].forEach(remove),
    clear: () => {
      entries.clear()
      ids.clear()
    }
  }
}

/**
 * Remembers credentials that were read, each for at most a minute, until they end or change. Concurrent requests share a
 * read. A change also drops the reads in progress: requests that already wait get the result, later requests read again.
 * While this instance may have missed a change, each request reads.
 */
export const make = Effect.fnUntraced(function* <A>({ endOf, subjectsOf }: Options<A>) {
  const changes = yield* CredentialChanges
  const entries = makeEntries<A>()
  /** The reads in progress since the last change. */
  let reads = new Map<string, Effect.Effect<Option.Option<A>>>()

  const forget = (subject?: Subject) => {
    reads = new Map()
    if (subject === undefined) entries.clear()
    else entries.removeAbout(subject)
  }
  yield* changes.subscribe(forget)

  const remember = (id: string, value: A, now: number) => {
    const end = Math.min(now + rememberedMillis, endOf(value) ?? Number.POSITIVE_INFINITY)
    entries.set(id, { value, end, subjects: subjectsOf(value) })
  }

  /** Begins a read that other requests can join. It ends early only when all of them have left. */
  const share = (id: string, read: Effect.Effect<Option.Option<A>>, now: number) => {
    const present = reads
    return read.pipe(
      Effect.tap((found) =>
        Effect.sync(() => {
          if (Option.isSome(found) && present === reads) remember(id, found.value, now)
        })
      ),
      Effect.ensuring(Effect.sync(() => present.delete(id))),
      Effect.cached,
      Effect.flatMap((shared) => {
        present.set(id, shared)
        return shared
      })
    )
  }

  const find = (id: string, read: Effect.Effect<Option.Option<A>>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (!changes.isUpToDate()) return read
      const known = entries.get(id)
      if (known !== undefined && now < known.end) return Effect.succeed(Option.some(known.value))
      return reads.get(id) ?? share(id, read, now)
    })

  return {
    /** Finds a value, with `read` when it is not remembered. */
    find,
    /** Changes a value that is remembered. */
    update: (id: string, change: (value: A) => A) => {
      const known = entries.get(id)
      if (known !== undefined) entries.set(id, { ...known, value: change(known.value) })
    },
    /** Drops the values of a subject, without waiting for the notification of the database. */
    forget
  }
})
