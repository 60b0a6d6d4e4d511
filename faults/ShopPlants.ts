import type { Plant } from "./Plant.ts"

const exits = Array.from({ length: 50 }, (_, index) => `127.0.7.${index + 1}`).join(", ")

/** Bugs of what the operator sells, and at what price. */
export const shopPlants: ReadonlyArray<Plant> = [
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
