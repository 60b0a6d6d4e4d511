import * as AnswerHeaders from "../platform/requests/AnswerHeaders.ts"

/** Keeps a response that holds a secret out of every cache. */
export const noStore = AnswerHeaders.set({ "cache-control": "no-store" })
