import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { run } from "../cli/CommandTesting.ts"
import * as RunningService from "../support/RunningService.ts"

const example = fs.readFileSync(new URL("../../shop.example.yaml", import.meta.url), "utf8")
const dearer = example.replace("name: 1 month, usd: 1.80", "name: 1 month, usd: 2.00")

const lanes = 8
const ordersPerLane = 12
// No other test listens here, and the system gives these ports to no outgoing connection.
const first = 20_000 + Math.floor(Math.random() * 9_000)

const request =
  (url: string) =>
  async (method: string, path: string, body?: object, token = "") => {
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "idempotency-key": randomUUID()
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const etag = response.headers.get("etag")
    return { status: response.status, etag, body: (await response.json()) as any }
  }

layer(Layer.empty, { excludeTestServices: true })("A price that changes while orders are placed", (it) => {
  it.effect(
    "is paid as it is shown: each order pays the old one or the new one, and the catalog changes once",
    () =>
      Effect.gen(function* () {
        const env = { GATEWAY_PORTS: `${first}-${first + lanes * ordersPerLane + 50}` }
        const service = yield* RunningService.makeWith({ env })
        yield* service.start
        assert.include(service.output(), "the demo shop")
        const file = path.join(service.directory, "shop.yaml")
        fs.writeFileSync(file, dearer)
        const call = request(service.url)
        const apply = run({ DATA_DIR: service.directory }, "shop", "apply", file)

        const token = yield* Effect.promise(async () => {
          const { body } = await call("POST", "/auth/register", {
            email: "many@example.com",
            password: "correct horse"
          })
          const token = body.access_token as string
          const deposit = { amount: 1000, currency: "USD", payment_method: "card_gateway" }
          const paid = await call("POST", "/payments/deposits", deposit, token)
          await fetch(paid.body.payment_url, { method: "POST", body: new URLSearchParams({ outcome: "paid" }) })
          return token
        })

        const catalog = () => call("GET", "/catalog?kind=datacenter&country=US")
        const offers = yield* Effect.promise(catalog)
        const offer_id = offers.body.kinds[0].offers.find((offer: any) => offer.ip_version === "IPv4").id
        const etags = new Set([offers.etag])

        const lane = Effect.promise(async () => {
          const totals: Array<number> = []
          for (let placed = 0; placed < ordersPerLane; placed++) {
            const { body, status } = await call("POST", "/orders", { offer_id, payment_method: "wallet" }, token)
            assert.strictEqual(status, 201, JSON.stringify(body))
            totals.push(body[0].total_usd)
            etags.add((await catalog()).etag)
          }
          return totals
        })
        const placing = Effect.map(
          Effect.all(
            Array.from({ length: lanes }, () => lane),
            { concurrency: lanes }
          ),
          (all) => all.flat()
        )
        const [totals, applied] = yield* Effect.all([placing, Effect.delay(apply, "300 millis")], { concurrency: 2 })
        assert.strictEqual(applied.code, 0, applied.stderr)
        assert.include(applied.stdout, "1 month: 1.80 USD or 139 stars → 2.00 USD or 139 stars")

        assert.lengthOf(totals, lanes * ordersPerLane)
        assert.sameMembers([...new Set(totals)], [1.8, 2])
        const kept = yield* Effect.promise(() => call("GET", "/orders?limit=100", undefined, token))
        assert.sameMembers(
          kept.body.orders.map(({ total_usd }: { total_usd: number }) => total_usd),
          totals
        )
        assert.strictEqual(etags.size, 2)
        const wallet = yield* Effect.promise(() => call("GET", "/wallet/balance?currency=USD", undefined, token))
        const spent = totals.reduce((sum, total) => sum + total, 0)
        assert.closeTo(wallet.body.balance, 1000 - spent, 0.001)
      }),
    240_000
  )
})
