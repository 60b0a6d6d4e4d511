import type { DestinationRule } from "../DestinationRule.ts"
import type { NodeEvent } from "../NodeRpcs.ts"
import type { ServedProxy } from "../ServedProxy.ts"

/** Ended proxies that are remembered, so that the gateway stops them. */
const endedAtMost = 10_000

/** The outcome of an event. `gap`: changes are missing, so all proxies must be sent. */
export interface Applied {
  readonly changed: ReadonlyArray<string>
  /** True when the node knows all that the centre had when it sent the event. */
  readonly isCurrent: boolean
  readonly gap: boolean
}

/** What the centre has told this node: the proxies that it serves, and the rules about destinations. */
export class Replica {
  /** Null: nothing is known. */
  version: bigint | null = null
  rules: { readonly version: string; readonly rules: ReadonlyArray<DestinationRule> } = { version: "", rules: [] }
  readonly #open = new Map<string, ServedProxy>()
  readonly #ended = new Map<string, ServedProxy>()
  /** The proxies of a snapshot whose end has not come. */
  #named = new Set<string>()

  get proxies(): ReadonlyArray<ServedProxy> {
    return [...this.#open.values()]
  }

  find(id: string): ServedProxy | undefined {
    return this.#open.get(id) ?? this.#ended.get(id)
  }

  /** Takes what the last process knew. */
  restore(version: bigint, proxies: ReadonlyArray<ServedProxy>, rules: Replica["rules"]) {
    this.version = version
    this.rules = rules
    for (const proxy of proxies) this.#open.set(proxy.id, proxy)
  }

  /** Forgets the part of a snapshot of an ended connection. */
  restart() {
    this.#named = new Set()
  }

  apply(event: NodeEvent): Applied {
    if (event._tag === "Rules") {
      this.rules = { version: event.version, rules: event.rules }
      return { changed: [], isCurrent: false, gap: false }
    }
    return event._tag === "Snapshot" ? this.#snapshot(event) : this.#delta(event)
  }

  #snapshot({ end, proxies, regressed, version }: Extract<NodeEvent, { _tag: "Snapshot" }>): Applied {
    const changed = proxies.filter((proxy) => this.#set(proxy)).map(({ id }) => id)
    for (const { id } of proxies) this.#named.add(id)
    if (!end) return { changed, isCurrent: false, gap: false }
    const gone = regressed ? [] : [...this.#open.keys()].filter((id) => !this.#named.has(id))
    for (const id of gone) this.#end(id)
    this.#named = new Set()
    this.version = version
    return { changed: [...changed, ...gone], isCurrent: true, gap: false }
  }

  #delta({ changed, from, removed, version }: Extract<NodeEvent, { _tag: "Delta" }>): Applied {
    if (from !== this.version) return { changed: [], isCurrent: false, gap: true }
    for (const proxy of changed) this.#set(proxy)
    for (const id of removed) this.#end(id)
    this.version = version
    const ids = [...changed.map(({ id }) => id), ...removed]
    return { changed: ids, isCurrent: ids.length === 0, gap: false }
  }

  #set(proxy: ServedProxy): boolean {
    const isChanged = this.#open.get(proxy.id)?.revision !== proxy.revision
    this.#open.set(proxy.id, proxy)
    this.#ended.delete(proxy.id)
    return isChanged
  }

  #end(id: string) {
    const proxy = this.#open.get(id)
    if (proxy === undefined) return
    this.#open.delete(id)
    this.#ended.set(id, { ...proxy, status: "closed", revision: proxy.revision + 1 })
    if (this.#ended.size <= endedAtMost) return
    const [oldest] = this.#ended.keys()
    if (oldest !== undefined) this.#ended.delete(oldest)
  }
}
