import { Resolver } from "node:dns/promises"

const resolver = new Resolver({ timeout: 2_000, tries: 2 })

/**
 * Every address of a name; none when it has none. Asks DNS itself: the system's own lookup would let four slow names
 * hold up everyone (libuv's thread pool).
 */
export const resolve = async (name: string): Promise<ReadonlyArray<string>> => {
  // RFC 6761, section 6.3: never asked of DNS.
  if (/(^|\.)localhost\.?$/i.test(name)) return ["127.0.0.1"]
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
}
