import { Effect, Stream } from "effect"
import { CustomerExportTooLarge } from "./CustomerErrors.ts"

const mostCharacters = 32_000_000

/** Collects the file of an account for an answer of the API, which is made in memory. */
export const collectExport = Effect.fnUntraced(function* (file: Stream.Stream<string>) {
  const parts: Array<string> = []
  let size = 0
  yield* Stream.runForEach(file, (part) => {
    size += part.length
    if (size > mostCharacters) return Effect.fail(new CustomerExportTooLarge({ details: {} }))
    parts.push(part)
    return Effect.void
  })
  return parts.join("")
})
