import { randomBytes } from "node:crypto"
import { dotted } from "../test/provider/adapters/ProxySellerAnswers.ts"

const dayMillis = 86_400_000

/** The terms that are sold. */
export const days: Readonly<Record<string, number>> = { "1m": 30, "3m": 90 }

/** The countries of the proxies, by the vendor's name and the alpha-2 code. */
export const countries = [
  { id: "USA", name: "United States", code: "US" },
  { id: "DEU", name: "Germany", code: "DE" }
]

/** A proxy that the vendor has sold. */
export interface Lease {
  readonly order_id: string
  readonly country: string
  readonly number: number
  /** Changes with each prolongation. */
  proxy_id: string
  prolonged: number
  /** In milliseconds. */
  end: number
  comment: string
}

interface Authorization {
  readonly id: string
  readonly orderNumber: string
  readonly active: boolean
  readonly login: string
  readonly password: string
}

/** The vendor's own records: the book that the service's orders are compared with. */
export class VendorBook {
  readonly leases: Array<Lease> = []
  readonly #byOrder = new Map<string, Lease>()
  readonly #byProxy = new Map<string, Lease>()
  readonly #authorizations = new Map<string, Authorization>()
  readonly #locked = new Set<string>()
  readonly #now: () => number
  readonly #own = randomBytes(5).toString("hex")
  #count = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** An ObjectId: it begins with the time in seconds. */
  #id() {
    const seconds = Math.floor(this.#now() / 1000).toString(16)
    return `${seconds.padStart(8, "0")}${this.#own}${(++this.#count).toString(16).padStart(6, "0")}`
  }

  sell(country: string, period: string): Lease {
    const number = this.leases.length + 1
    const lease: Lease = {
      order_id: this.#id(),
      country,
      number,
      proxy_id: this.#id(),
      prolonged: 0,
      end: this.#now() + (days[period] ?? 0) * dayMillis,
      comment: ""
    }
    this.leases.push(lease)
    this.#byOrder.set(lease.order_id, lease)
    this.#byProxy.set(lease.proxy_id, lease)
    const id = this.#id()
    const login = { login: `user${number}`, password: `pass${number}` }
    this.#authorizations.set(id, { id, orderNumber: `NS_${number}-no`, active: true, ...login })
    return lease
  }

  prolong(proxy_id: string, period: string): Lease | undefined {
    const lease = this.#byProxy.get(proxy_id)
    if (lease === undefined) return undefined
    lease.prolonged += 1
    lease.end += (days[period] ?? 0) * dayMillis
    lease.proxy_id = this.#id()
    this.#byProxy.set(lease.proxy_id, lease)
    return lease
  }

  comment(proxy_ids: ReadonlyArray<string>, comment: string) {
    for (const id of proxy_ids) {
      const lease = this.#byProxy.get(id)
      if (lease !== undefined) lease.comment = comment
    }
  }

  /** Sets another login: the proxy no longer works with the first one. */
  changeLogin(id: string, login: string, password: string): Authorization | undefined {
    const found = this.#authorizations.get(id)
    if (found === undefined) return undefined
    const changed = { ...found, login, password }
    this.#authorizations.set(id, changed)
    this.#locked.add(found.orderNumber)
    return changed
  }

  lease(order_id: string): Lease | undefined {
    return this.#byOrder.get(order_id)
  }

  /** True when the service has given the proxy back: it stays unusable until it ends. */
  isReleased({ number }: Lease): boolean {
    return this.#locked.has(`NS_${number}-no`)
  }

  get authorizations(): ReadonlyArray<Authorization> {
    return [...this.#authorizations.values()]
  }

  /** The newest first. */
  page(page: number, size: number): ReadonlyArray<Lease> {
    const end = this.leases.length - (page - 1) * size
    return this.leases.slice(Math.max(0, end - size), Math.max(0, end)).toReversed()
  }

  row({ comment, country, end, number, order_id, prolonged, proxy_id }: Lease) {
    const ip = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
    return {
      id: proxy_id,
      order_id,
      order_number: prolonged === 0 ? `NS_${number}-no` : `NS_${number}-no_e_${prolonged}`,
      ip,
      ip_only: ip,
      port_socks: 50_101,
      port_http: 50_100,
      country_alpha3: country,
      date_end: dotted(end),
      status_type: end <= this.#now() ? "ENDED" : "ACTIVE",
      comment
    }
  }
}
