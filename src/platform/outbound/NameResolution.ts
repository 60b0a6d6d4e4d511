import { Resolver } from "node:dns/promises"

/**
 * Time limit for the first family of addresses, then for the other. c-ares extends its own limits for a server that was
 * slow.
 */
const limitMillis = 3_000
const graceMillis = 1_000

/** Resolves a name to all its addresses. */
export type Resolve = (name: string) => Promise<ReadonlyArray<string>>

interface Dns {
  readonly resolve4: Resolve
  readonly resolve6: Resolve
}

/** Returns the addresses that are known when both families have answered or the time is over. */
const ask = (dns: Dns, name: string) =>
  new Promise<ReadonlyArray<string>>((settle) => {
    const queries = [dns.resolve4(name), dns.resolve6(name)]
    const found: Array<string> = []
    let unanswered = queries.length
    const end = () => {
      clearTimeout(timer)
      // A copy, because the caller does not check addresses that arrive later.
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
    // The service never asks DNS for localhost (RFC 6761, section 6.3).
    /(^|\.)localhost\.?$/i.test(name) ? ["127.0.0.1"] : await ask(dns, name)

/**
 * Resolves a name to all its addresses within four seconds; to none when it has none. Asks DNS directly, because the
 * system's lookup runs on four threads of libuv, where four slow names would block all others.
 */
export const resolve = resolveBy(new Resolver({ timeout: 800, tries: 3 }))
