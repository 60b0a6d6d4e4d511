import { Clock, Effect, Option } from "effect"
import { CredentialChanges, type Subject } from "./CredentialChanges.ts"

const entriesAtMost = 10_000

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
 * Remembers credentials that were read, until they end or change. While this instance may have missed a change, it reads
 * each time.
 */
export const make = Effect.fnUntraced(function* <A>({ endOf, subjectsOf }: Options<A>) {
  const changes = yield* CredentialChanges
  const entries = makeEntries<A>()
  /** Grows with every change, so that a value that was read before the change is not remembered after it. */
  let generation = 0

  yield* changes.subscribe((subject) => {
    generation++
    if (subject === undefined) entries.clear()
    else entries.removeAbout(subject)
  })

  const remember = (id: string, value: A) =>
    entries.set(id, { value, end: endOf(value) ?? Number.POSITIVE_INFINITY, subjects: subjectsOf(value) })

  const find = (id: string, read: Effect.Effect<Option.Option<A>>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const known = changes.isUpToDate(now) ? entries.get(id) : undefined
      if (known !== undefined && now < known.end) return Effect.succeed(Option.some(known.value))
      const before = generation
      return Effect.tap(read, (found) =>
        Effect.sync(() => {
          if (Option.isSome(found) && generation === before) remember(id, found.value)
        })
      )
    })

  return {
    /** Finds a value, with `read` when it is not remembered. */
    find,
    /** Changes a value that is remembered. */
    update: (id: string, change: (value: A) => A) => {
      const known = entries.get(id)
      if (known !== undefined) entries.set(id, { ...known, value: change(known.value) })
    }
  }
})
