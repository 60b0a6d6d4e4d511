import { Effect, Result, Semaphore } from "effect"
import { Worker } from "node:worker_threads"
import type { PlainShop, ReadShop, ShopFault } from "./ReadShopFile.ts"

/** A text of at most so many characters is read within 0.2 seconds. */
const shortCharacters = 32 * 1024

/** One thread at a time, so that several long files cannot use up the machine. */
const threads = Semaphore.makeUnsafe(1)

type Answer = { readonly plain: PlainShop; readonly faults?: undefined } | { readonly faults: ReadonlyArray<ShopFault> }

const inThread = (text: string) =>
  Effect.callback<Answer>((resume) => {
    const thread = new Worker(new URL("./ReadShopThread.ts", import.meta.url), { workerData: text, execArgv: [] })
    thread.once("message", (answer: Answer) => resume(Effect.succeed(answer)))
    thread.once("error", (error) => resume(Effect.die(error)))
    thread.once("exit", () => resume(Effect.die(new Error("The thread that reads a shop file has ended"))))
    return Effect.promise(() => thread.terminate())
  })

/**
 * Reads a shop file in a service that answers others meanwhile. A file of 10,000 articles takes 5 seconds, so a long file is
 * read in a thread of its own.
 */
export const readAside = Effect.fnUntraced(function* (text: string) {
  const { bytesAtMost, placed, read } = yield* Effect.promise(() => import("./ReadShopFile.ts"))
  if (text.length <= shortCharacters || Buffer.byteLength(text) > bytesAtMost) return read(text)
  const answer = yield* threads.withPermits(1)(inThread(text))
  return answer.faults === undefined ? Result.succeed<ReadShop>(placed(answer.plain)) : Result.fail(answer.faults)
})
