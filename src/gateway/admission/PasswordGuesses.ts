import type { SourceNetworks } from "../../platform/requests/SourceNetworks.ts"
import { TokenBuckets } from "./TokenBuckets.ts"

/**
 * Wrong passwords, by where they come from. A source that has used up its guesses is not judged, right or wrong, until
 * it has waited: at one proxy 10 and then 1 a second, at all proxies 100 and then 10, from the wider network 500 and
 * then 50. After `retryAfterSeconds` it has all of them again.
 */
export class PasswordGuesses {
  readonly #atProxy = new TokenBuckets(10, 1)
  readonly #bySource = new TokenBuckets(100, 10)
  readonly #byNetwork = new TokenBuckets(500, 50)

  mayGuess({ network, source }: SourceNetworks, proxyId: string, now = performance.now()): boolean {
    return (
      this.#atProxy.has(`${proxyId} ${source}`, now) &&
      this.#bySource.has(source, now) &&
      this.#byNetwork.has(network, now)
    )
  }

  /** A password was wrong. */
  failed({ network, source }: SourceNetworks, proxyId: string, now = performance.now()) {
    this.#atProxy.take(`${proxyId} ${source}`, now)
    this.#bySource.take(source, now)
    this.#byNetwork.take(network, now)
  }
}
