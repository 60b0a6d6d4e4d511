import { Effect, Result, Semaphore } from "effect"
import { Worker } from "node:worker_threads"
import type { PlainShop, ReadShop, ShopFault } from "./ReadShopFile.ts"
import { textOf } from "./Shop.ts"
import type { ShopFile } from "./ShopFile.ts"

/** A text of at most so many characters is read within 0.2 seconds. */
const shortCharacters = 32 * 1024

/** So many articles and price rules are checked, or written, within 0.1 seconds. */
const fewEntries = 200

/** One thread at a time, so that several long files cannot use up the machine. */
const threads = Semaphore.makeUnsafe(1)

/** The work of the thread: it reads a text, checks the values of a shop that was never a text, or writes a text. */
export type ShopJob =
  | { readonly what: "read"; readonly text: string }
  | { readonly what: "check"; readonly file: unknown }
  | { readonly what: "write"; readonly file: typeof ShopFile.Encoded }

type Answer = { readonly plain: PlainShop; readonly faults?: undefined } | { readonly faults: ReadonlyArray<ShopFault> }

const inThread = <A>(workerData: ShopJob): Effect.Effect<A> =>
  threads.withPermits(1)(
    Effect.callback<A>((resume) => {
      const thread = new Worker(new URL("./ReadShopThread.ts", import.meta.url), { workerData, execArgv: [] })
      thread.once("message", (answer: A) => resume(Effect.succeed(answer)))
      thread.once("error", (error) => resume(Effect.die(error)))
      thread.once("exit", () => resume(Effect.die(new Error("The thread that reads a shop file has ended"))))
      return Effect.promise(() => thread.terminate())
    })
  )

const readInThread = Effect.fnUntraced(function* (job: ShopJob) {
  const { placed } = yield* Effect.promise(() => import("./ReadShopFile.ts"))
  const answer = yield* inThread<Answer>(job)
  return answer.faults === undefined ? Result.succeed<ReadShop>(placed(answer.plain)) : Result.fail(answer.faults)
})

/**
 * Reads a shop file in a service that answers others meanwhile. A file of 10,000 articles takes 5 seconds, so a long file is
 * read in a thread of its own.
 */
export const readAside = Effect.fnUntraced(function* (text: string) {
  const { bytesAtMost, read } = yield* Effect.promise(() => import("./ReadShopFile.ts"))
  if (text.length <= shortCharacters || Buffer.byteLength(text) > bytesAtMost) return read(text)
  return yield* readInThread({ what: "read", text })
})

const isSmall = ({ articles, prices = [] }: Pick<typeof ShopFile.Encoded, "articles" | "prices">) =>
  Object.keys(articles).length + prices.length <= fewEntries

/** Checks a shop of which `file` is the present one and `edited` the wanted one, in the same way. */
export const readEditedAside = Effect.fnUntraced(function* (file: typeof ShopFile.Encoded, edited: unknown) {
  const { readEdited } = yield* Effect.promise(() => import("./ReadShopFile.ts"))
  return isSmall(file) ? readEdited(edited) : yield* readInThread({ what: "check", file: edited })
})

/** Writes a shop file in the same way. */
export const writeAside = (file: typeof ShopFile.Encoded): Effect.Effect<string> =>
  isSmall(file) ? textOf(file) : inThread<string>({ what: "write", file })
