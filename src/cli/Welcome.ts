import { Console, Effect, Layer, Schedule } from "effect"
import { Brand } from "../brand/Brand.ts"
import { Catalog } from "../catalog/Catalog.ts"
import { IpVendors } from "../ip-check/vendors/IpVendors.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import { Providers } from "../provider/Providers.ts"
import { Shop } from "../shop/Shop.ts"
import * as AcceptedPayments from "../wallet/payments/AcceptedPayments.ts"
import * as RealMoney from "../wallet/RealMoney.ts"
import * as SandboxMoney from "../wallet/SandboxMoney.ts"
import { commandThatWorks } from "./CommandHelp.ts"

interface Facts {
  /** The name of the brand. */
  readonly name: string
  readonly urls: Addresses["Service"]
  readonly takers: Readonly<Record<string, string>>
  readonly providers: ReadonlyArray<string>
  readonly vendors: ReadonlyArray<string>
  readonly isRealMoney: boolean
  /** True when the demo shop is on sale. */
  readonly isDemo: boolean
}

const trial = (base_url: string) => `Try:

  curl -s '${base_url}/catalog?kind=datacenter&country=US'
  curl -s ${base_url}/auth/register -H 'content-type: application/json' -d '{"email":"try@example.com","password":"correct horse"}'
  curl -s ${base_url}/wallet -H "authorization: Bearer <access_token>"

The README continues from here to a working proxy.`

const checks = `Check the shop:

  ${commandThatWorks("node src/main.ts doctor --online")}

docs/going-live.md continues from here to the first sale.`

/** The text that the service prints when it is ready. */
export const text = ({ isDemo, isRealMoney, name, providers, takers, urls, vendors }: Facts) => `
${name} is ready.

  API        ${urls.base_url}
  Docs       ${urls.docs_url}
  Tools      ${urls.mcp_url} (Model Context Protocol)
  Dashboard  ${urls.app_url}
  Payments:  ${Object.entries(takers)
    .map((entry) => entry.join(" "))
    .join(", ")}
  Providers: ${providers.join(", ")}${isDemo ? "; the gateway sells the demo shop (docs/shop.md)" : ""}
  IP checks: ${vendors.join(", ") || "off"}
${Object.values(takers).includes("sandbox") ? "\n  Sandbox payments are simulated: no real money moves.\n" : ""}
${isRealMoney ? checks : trial(urls.base_url)}
`

/** Prints the welcome when the catalog has offers, after at most 10 seconds, and logs the warnings of the start. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { name } = yield* Brand
    const catalog = yield* Catalog
    const urls = yield* Addresses
    const takers = yield* AcceptedPayments.gatewayNames
    const providers = (yield* Providers).all.map(({ name }) => name)
    const vendors = (yield* IpVendors).labels
    const isRealMoney = (yield* RealMoney.gateways).length > 0
    yield* Effect.forEach(yield* AcceptedPayments.warnings, (warning) => Effect.logWarning(warning))
    yield* SandboxMoney.report
    if (vendors.length === 0)
      yield* Effect.logWarning(
        "No IP vendor is configured, so the service cannot check addresses (docs/ip-reputation.md)"
      )
    yield* catalog.filled.pipe(
      Effect.repeat({ until: (filled) => filled, schedule: Schedule.spaced("20 millis") }),
      Effect.timeoutOption("10 seconds")
    )
    const isDemo = providers.includes("gateway") && (yield* Shop.use((shop) => shop.isDemo))
    yield* Console.log(text({ name, urls, takers, providers, vendors, isDemo, isRealMoney }))
  }).pipe(Effect.forkScoped)
).pipe(Layer.provide(Shop.layer))
