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

const messagesOf = (body: string): number => {
  if (!/^\s*\[/.test(body)) return 1
  const batch = parse(body)
  return Array.isArray(batch) ? Math.max(1, batch.length) : 1
}

/** Each message of a batch counts; what is over the most is refused whole. */
export const countMessages = (body: string): number => Math.min(messagesOf(body), mostMessages)

export const isTooMany = (body: string): boolean => messagesOf(body) > mostMessages

/** Whether a body asks for a session. */
export const isInitialize = (body: string): boolean => {
  const message = parse(body)
  return typeof message === "object" && message !== null && "method" in message && message.method === "initialize"
}
