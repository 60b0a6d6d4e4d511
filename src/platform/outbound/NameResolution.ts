import { Resolver } from "node:dns/promises"

/** For the first family of addresses, then for the other: c-ares stretches its own times when it has seen a server slow. */
const limitMillis = 3_000
const graceMillis = 1_000

type Query = (name: string) => Promise<ReadonlyArray<string>>

interface Dns {
  readonly resolve4: Query
  readonly resolve6: Query
}

/** What is known when both families have answered, or the time is over. */
const ask = (dns: Dns, name: string) =>
  new Promise<ReadonlyArray<string>>((settle) => {
    const queries = [dns.resolve4(name), dns.resolve6(name)]
    const found: Array<string> = []
    let unanswered = queries.length
    const end = () => {
      clearTimeout(timer)
      // A copy: what comes later was not checked by whoever asked.
      settle([...found])
    }
    let timer = setTimeout(end, limitMillis)
    const take = (addresses: ReadonlyArray<string>) => {
      found.push(...addresses)
      unanswered -= 1
      if (unanswered === 0) return end()
      if (addresses.length === 0) return
      clearTimeout(timer)
      timer = setTimeout(end, graceMillis)
    }
    for (const query of queries)
      void query.then(take, () => {
        take([])
      })
  })

export const resolveBy =
  (dns: Dns) =>
  async (name: string): Promise<ReadonlyArray<string>> =>
    // RFC 6761, section 6.3: never asked of DNS.
    /(^|\.)localhost\.?$/i.test(name) ? ["127.0.0.1"] : await ask(dns, name)

/**
 * Every address of a name, within four seconds; none when it has none. Asks DNS itself: the system's own lookup would
 * let four slow names hold up everyone (libuv's thread pool).
 */
export const resolve = resolveBy(new Resolver({ timeout: 800, tries: 3 }))
