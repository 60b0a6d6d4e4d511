import type { Plant } from "./Plant.ts"

const exits = Array.from({ length: 50 }, (_, index) => `127.0.7.${index + 1}`).join(", ")

/** The addresses between which staff move proxies. */
const french = Array.from({ length: 250 }, (_, index) => `127.0.8.${index + 1}`).join(", ")

/** Bugs of what the operator sells, at what price, and from which addresses. */
export const shopPlants: ReadonlyArray<Plant> = [
  {
    name: "replaced-again",
    what: "a replacement with an unknown outcome is made again instead of looked up",
    breaks: "a proxy moves to another address once for each replacement",
    extent: {
      vendorShare: 0,
      careShare: 80,
      orders: 200,
      // No kills: the changes that a killed instance has claimed wait for ten minutes of the product, and so do customers.
      aim: { points: /COMMIT \(UPDATE gateway_proxy\)/, share: 0.3, modes: ["lose answer"] }
    },
    edits: [
      {
        file: "shop.example.yaml",
        find: "fr-residential: { country: FR, kind: residential, exits: machine }",
        replace: `fr-residential: { country: FR, kind: residential, exits: [${french}] }`
      },
      {
        file: "src/gateway/GatewayTerms.ts",
        find: `          reference,
          Effect.fnUntraced(function* (proxy) {
            const exit_ip`,
        replace: `          "",
          Effect.fnUntraced(function* (proxy) {
            const exit_ip`
      },
      {
        file: "src/provider/adapters/GatewayProvider.ts",
        find: `{ reference }: ProxyExtension | TrafficAddition | ProxyReplacement) {
        return Option.filter(yield* known(id), ({ change_reference }) => change_reference === reference)`,
        replace: `{ kind, reference }: ProxyExtension | TrafficAddition | ProxyReplacement) {
        return Option.filter(yield* known(id), ({ change_reference }) => kind !== "replace" && change_reference === reference)`
      }
    ]
  },
  {
    name: "pool-mixed",
    what: "articles of the US sell the addresses of any pool of the US",
    breaks: "a proxy leaves from the pool of its article",
    extent: { vendorShare: 0, orders: 150 },
    edits: [
      {
        file: "shop.example.yaml",
        find: "us-residential: { country: US, kind: residential, exits: machine }",
        replace: `us-residential: { country: US, kind: residential, exits: [${exits}] }`
      },
      {
        file: "src/gateway/GatewayProxiesRepo.ts",
        find: "e.state = 'on' AND e.pool = ${pool} AND",
        replace: "e.state = 'on' AND (e.pool = ${pool} OR starts_with(e.pool, 'us-')) AND"
      },
      {
        file: "src/gateway/GatewayProxiesRepo.ts",
        find: "WHEN p.uses_machine THEN NULL",
        replace: "WHEN p.uses_machine AND a.country_code <> 'US' THEN NULL"
      },
      {
        file: "migrations/0040_shop.ts",
        find: `gateway_proxy_exit AFTER INSERT ON gateway_proxy
    FOR EACH ROW WHEN (NEW.pool IS NOT NULL)`,
        replace: `gateway_proxy_exit AFTER INSERT ON gateway_proxy
    FOR EACH ROW WHEN (NEW.pool IS NULL)`
      }
    ]
  },
  {
    name: "quote-forgotten",
    what: "an order pays the present price also when its quote is lower",
    breaks: "an order pays at most its quote",
    extent: { vendorShare: 0, orders: 20, isRepriced: true, outages: 0 },
    edits: [
      {
        file: "src/orders/checkout/BuyOrders.ts",
        find: "QuotedPrice.atQuotedPrice(agreed, quoted) ??",
        replace: "(quoted.length < 0 ? undefined : agreed) ??"
      }
    ]
  }
]
