import type { SourceNetworks } from "../../platform/requests/SourceNetworks.ts"
import { TokenBuckets } from "./TokenBuckets.ts"

/**
 * Limits wrong passwords. A source without guesses left is refused before its password is compared. The limits: 10
 * guesses per source and proxy, plus 1 per second; 100 per source, plus 10 per second; 500 per wider network, plus 50 per
 * second. All guesses are available again after `retryAfterSeconds`.
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

  /** Takes one guess for a wrong password. */
  failed({ network, source }: SourceNetworks, proxyId: string, now = performance.now()) {
    this.#atProxy.take(`${proxyId} ${source}`, now)
    this.#bySource.take(source, now)
    this.#byNetwork.take(network, now)
  }
}
