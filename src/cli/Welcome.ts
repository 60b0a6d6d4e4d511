import { Console, Effect, Layer, Schedule } from "effect"
import { Catalog } from "../catalog/Catalog.ts"
import { Addresses } from "../platform/Addresses.ts"
import * as Sandbox from "../wallet/Sandbox.ts"

const text = (urls: Addresses["Service"], sandbox: boolean) => `
Proxy Rental Service is ready.

  API    ${urls.base_url}
  Docs   ${urls.docs_url}
${sandbox ? "  Payments without a configured gateway are a sandbox: no real money moves in them.\n" : ""}
Try:

  curl -s '${urls.base_url}/catalog?kind=datacenter&country=US'
  curl -s ${urls.base_url}/auth/register -H 'content-type: application/json' -d '{"email":"me@example.com","password":"correct horse"}'
  curl -s ${urls.base_url}/wallet -H "authorization: Bearer <access_token>"

The README goes on from here to a proxy that works.
`

/** Says where everything is, once there is something to try. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const catalog = yield* Catalog
    const urls = yield* Addresses
    const sandbox = yield* Sandbox.enabled
    yield* catalog.filled.pipe(
      Effect.repeat({ until: (filled) => filled, schedule: Schedule.spaced("20 millis") }),
      Effect.timeoutOption("10 seconds")
    )
    yield* Console.log(text(urls, sandbox))
  }).pipe(Effect.forkScoped)
)
