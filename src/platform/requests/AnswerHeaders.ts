import { Context, Effect } from "effect"

type Headers = Readonly<Record<string, string>>

/** Headers that the answer of the current request gets besides its own. Outside a request there is no answer. */
export const AnswerHeaders = Context.Reference<Map<string, string> | undefined>("app/platform/AnswerHeaders", {
  defaultValue: () => undefined
})

/** Sets headers of the answer, whether it is a success, a failure or a defect. */
export const set = (headers: Headers) =>
  Effect.map(AnswerHeaders, (answer) => {
    for (const name in headers) answer?.set(name, headers[name] ?? "")
  })

/** Adds items to headers that are lists (RFC 9110, section 5.6.1). */
export const append = (items: Headers) =>
  Effect.map(AnswerHeaders, (answer) => {
    for (const name in items) {
      const others = answer?.get(name)
      answer?.set(name, others === undefined ? (items[name] ?? "") : `${others}, ${items[name]}`)
    }
  })
