/** So many messages a request may hold at most. */
export const mostMessages = 50

/** The message or messages of a body; undefined when it is no JSON. */
const parse = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The messages of a batch; undefined when the body is none. */
const batchOf = (body: string): ReadonlyArray<unknown> | undefined => {
  const batch = /^\s*\[/.test(body) ? parse(body) : undefined
  return Array.isArray(batch) ? batch : undefined
}

const messagesOf = (body: string): number => Math.max(1, batchOf(body)?.length ?? 1)

/** Each message of a batch counts; what is over the most is refused whole. */
export const countMessages = (body: string): number => Math.min(messagesOf(body), mostMessages)

export const isTooMany = (body: string): boolean => messagesOf(body) > mostMessages

const idOf = (message: unknown): unknown =>
  typeof message === "object" && message !== null && "id" in message ? message.id : undefined

/** Whether two requests of a batch have one id: the answer to one of them would be lost. */
export const repeatsIds = (body: string): boolean => {
  const ids = (batchOf(body) ?? []).map(idOf).filter((id) => id !== undefined)
  return new Set(ids).size < ids.length
}

/** Whether a body asks for a session. */
export const isInitialize = (body: string): boolean => {
  const message = parse(body)
  return typeof message === "object" && message !== null && "method" in message && message.method === "initialize"
}
