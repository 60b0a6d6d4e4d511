import type { Login } from "./ProxyAccess.ts"

/** The maximum number of known sources. Beyond it, a proxy forgets the source that authenticated longest ago. */
const most = 1_000

const textOf = ({ password, username }: Login) => `${username}:${password}`

/** The sources that have authenticated at a proxy, with their correct logins. */
export class KnownLogins {
  readonly #logins = new Map<string, Set<string>>()

  has(source: string): boolean {
    return this.#logins.has(source)
  }

  /** True when this source has used the login before. */
  includes(source: string, login: Login): boolean {
    return this.#logins.get(source)?.has(textOf(login)) === true
  }

  /** Remembers a source. Undefined: it needed no login. */
  add(source: string, login: Login | undefined) {
    const logins = this.#logins.get(source) ?? new Set()
    if (login !== undefined) logins.add(textOf(login))
    this.#logins.delete(source)
    this.#logins.set(source, logins)
    if (this.#logins.size <= most) return
    const [oldest] = this.#logins.keys()
    if (oldest !== undefined) this.#logins.delete(oldest)
  }

  clear() {
    this.#logins.clear()
  }
}
