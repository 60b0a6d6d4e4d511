import { Array as Arr, Console, Effect, Option } from "effect"
import type { Report, Section } from "./Finding.ts"

/** Maximum number of questions per second to one outside party, so that it can still answer the service. */
const perSecond = 5
const page = 500
/** Progress is printed after this many questions: about every ten seconds. */
const progressEach = 10 * perSecond

/** The questions to one outside party. `next` reads the page of items after an id. */
interface Questions<A, E> {
  readonly section: Section
  /** Names the outside party and the items. */
  readonly subject: string
  /** The number of items, if it is known. */
  readonly total?: number
  readonly next: (after: string, limit: number) => Effect.Effect<ReadonlyArray<A>>
  readonly idOf: (item: A) => string
  readonly ask: (item: A) => Effect.Effect<void, E>
}

/** Sorts before every id. */
export const first = "00000000-0000-0000-0000-000000000000"

/**
 * Asks about every item, page by page. Stops when all questions of one second fail. Prints progress on standard error.
 */
export const askAll = Effect.fnUntraced(function* <A, E extends { readonly message: string }>(
  { ask, idOf, next, section, subject, total }: Questions<A, E>,
  report: Report
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
        yield* report({ _tag: "Unchecked", section, subject: `${subject}: asked about ${asked}${of}`, reason })
        return
      }
      if (few.length === perSecond) yield* Effect.sleep("1 second")
      if (asked % progressEach === 0) yield* Console.error(`${subject}: asked about ${asked}${of}`)
    }
    if (items.length < page) break
    after = Option.match(Arr.last(items), { onNone: () => after, onSome: idOf })
  }
  if (failed > 0) yield* report({ _tag: "Unchecked", section, subject: `${subject}: no answer for ${failed}`, reason })
  yield* report({ _tag: "Checked", section, what: `${subject}: asked about ${asked}` })
})
