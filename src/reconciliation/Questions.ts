import { Array as Arr, Console, Effect, Option } from "effect"
import type { Section, Tell } from "./Finding.ts"

/** Questions that one party outside is asked in a second at most: it has the service itself to answer. */
const perSecond = 5
const page = 500
/** Every ten seconds it says how far it is. */
const toldEach = 10 * perSecond

/** A party outside, and what it is asked about: `next` is the page of what comes after an id, or from the beginning. */
interface Questions<A, E> {
  readonly section: Section
  /** Who is asked, about what. */
  readonly subject: string
  /** How many there were, where that is known. */
  readonly total?: number
  readonly next: (after: string, limit: number) => Effect.Effect<ReadonlyArray<A>>
  readonly idOf: (item: A) => string
  readonly ask: (item: A) => Effect.Effect<void, E>
}

/** Before every id. */
export const first = "00000000-0000-0000-0000-000000000000"

/**
 * Asks about everything, page by page; who answers nothing for a second is asked no more. Says how far it is on standard
 * error.
 */
export const askAll = Effect.fnUntraced(function* <A, E extends { readonly message: string }>(
  { ask, idOf, next, section, subject, total }: Questions<A, E>,
  tell: Tell
) {
  const of = total === undefined ? "" : ` of ${total}`
  let [asked, failed, after, reason] = [0, 0, first, ""]
  const attempt = (item: A) =>
    ask(item).pipe(
      Effect.as(true),
      Effect.catch((error) => Effect.sync(() => void (reason = error.message)).pipe(Effect.as(false)))
    )
  for (;;) {
    const items = yield* next(after, page)
    for (const few of Arr.chunksOf(items, perSecond)) {
      const answers = yield* Effect.forEach(few, attempt, { concurrency: perSecond })
      const unanswered = answers.filter((answered) => !answered).length
      asked += few.length
      failed += unanswered
      if (unanswered === few.length) {
        yield* tell({ _tag: "Unchecked", section, subject: `${subject}: asked about ${asked}${of}`, reason })
        return
      }
      if (few.length === perSecond) yield* Effect.sleep("1 second")
      if (asked % toldEach === 0) yield* Console.error(`${subject}: asked about ${asked}${of}`)
    }
    if (items.length < page) break
    after = Option.match(Arr.last(items), { onNone: () => after, onSome: idOf })
  }
  if (failed > 0) yield* tell({ _tag: "Unchecked", section, subject: `${subject}: no answer for ${failed}`, reason })
  yield* tell({ _tag: "Checked", section, what: `${subject}: asked about ${asked}` })
})
