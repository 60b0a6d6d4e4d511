import { Context, DateTime, Effect, Layer } from "effect"
import { type GatewayArticle, GatewayArticlesRepo } from "./GatewayArticlesRepo.ts"
import { GatewayPorts } from "./GatewayConfig.ts"
import { HeldPortsRepo, type HeldPorts } from "./HeldPortsRepo.ts"

/** An article, in the shape of `ProviderOffer`. */
export interface GatewayOffer extends Omit<
  GatewayArticle,
  "is_demo" | "left" | "max_connections" | "rate_mbps" | "state" | "uses_machine"
> {
  /** Always null: the addresses belong to the operator. */
  readonly isp: null
  readonly is_available: boolean
  readonly is_renewal_only: boolean
}

const portsLeft = ({ can_grow, free, is_awaited }: HeldPorts): number => {
  if (free === 0 && !is_awaited) return 0
  return can_grow ? Infinity : free
}

const ownAddress = ({ ip_version }: Pick<GatewayArticle, "ip_version">) =>
  `The proxy has no address of its own. Traffic leaves from the address of the gateway's machine, over ${ip_version} where the destination supports it.`

const limits = ({ max_connections, rate_mbps }: GatewayArticle): ReadonlyArray<string> => {
  const found = [
    ...(rate_mbps === null ? [] : [`${rate_mbps} Mbit/s each way`]),
    ...(max_connections === null ? [] : [`${max_connections} open connections`])
  ]
  return found.length === 0 ? [] : [`At most ${found.join(", ")}.`]
}

/** Tells customers what the name of an article does not: that it is the demo's, its limits, and where its traffic leaves. */
const descriptionOf = (article: GatewayArticle): string | null => {
  const { description, ip_version, is_demo, uses_machine } = article
  const said = [
    ...(is_demo ? ["Demo: not a real offer."] : []),
    ...(description === null ? [] : [description]),
    ...limits(article),
    ...(uses_machine ? [ownAddress({ ip_version })] : [])
  ]
  return said.length === 0 ? null : said.join(" ")
}

/** Describes an article as an offer. `ports`: the number of free ports. */
export const offerOf = (stocked: GatewayArticle, ports: number): GatewayOffer => {
  const {
    is_demo: _demo,
    left,
    max_connections: _most,
    rate_mbps: _rate,
    state,
    uses_machine: _machine,
    ...article
  } = stocked
  return {
    ...article,
    description: descriptionOf(stocked),
    isp: null,
    is_available: ports > 0 && left !== 0,
    is_renewal_only: state === "renew_only"
  }
}

/** The articles of the gateway, and the number of proxies of each that can be sold. */
export class GatewayStock extends Context.Service<
  GatewayStock,
  {
    /** Lists the articles as offers. `is_available` depends on the free ports, the pool and the limit of the article. */
    readonly offers: Effect.Effect<ReadonlyArray<GatewayOffer>>
    /** The same as if ports were free: a command does not know the ports of the running service. */
    readonly articles: Effect.Effect<ReadonlyArray<GatewayOffer>>
    /** Counts the proxies that can be sold, by article. Infinite while there is no limit. */
    readonly countStock: Effect.Effect<ReadonlyMap<string, number>>
    /** The last count of an article, minus the proxies that this process has sold since. Infinite before the first count. */
    readonly knownStock: (article: string) => number
    /** Subtracts one sold proxy from the last count. */
    readonly sold: (article: string) => void
    /** Shows all articles as sold out, in the transaction of the sale, when no port is left to sell. */
    readonly soldLastPort: Effect.Effect<void>
  }
>()("app/gateway/GatewayStock") {
  static readonly layerNoDeps = Layer.effect(
    GatewayStock,
    Effect.gen(function* () {
      const articles = yield* GatewayArticlesRepo
      const held = yield* HeldPortsRepo
      const ports = yield* GatewayPorts
      const countPorts = Effect.map(held.stock(ports), portsLeft)
      let knownPorts = Infinity
      let known = new Map<string, number>()

      const offersWith = (ports: number) =>
        Effect.map(articles.all, (all) => all.map((article) => offerOf(article, ports)))

      return GatewayStock.of({
        offers: Effect.flatMap(countPorts, offersWith).pipe(Effect.withSpan("GatewayStock.offers")),
        articles: offersWith(Infinity),
        countStock: Effect.gen(function* () {
          knownPorts = yield* countPorts
          known = new Map((yield* articles.stock).map(({ article, left }) => [article, left ?? Infinity]))
          return new Map([...known].map(([article, left]) => [article, Math.min(left, knownPorts)]))
        }),
        knownStock: (article) => Math.min(knownPorts, known.get(article) ?? Infinity),
        sold: (article) => {
          knownPorts -= 1
          known.set(article, (known.get(article) ?? Infinity) - 1)
        },
        soldLastPort: Effect.gen(function* () {
          if ((yield* countPorts) > 0) return
          knownPorts = 0
          yield* articles.showSoldOut(yield* DateTime.now)
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([GatewayArticlesRepo.layer, HeldPortsRepo.layer]))
}
