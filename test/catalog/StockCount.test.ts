import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Context, DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import * as Jobs from "../../src/Jobs.ts"
import { ToolServer } from "../../src/mcp/ToolServer.ts"
import { ToolSessions } from "../../src/mcp/ToolSessions.ts"
import * as EmbeddedGateway from "../../src/provider/adapters/GatewayProvider.ts"
import { Providers } from "../../src/provider/Providers.ts"
import { Shop } from "../../src/shop/Shop.ts"
import * as GatewayShop from "../support/GatewayShop.ts"
import * as HeldPorts from "../support/HeldPorts.ts"
import { settled } from "../support/Settled.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const configured = ConfigProvider.layer(ConfigProvider.fromEnvRecord({ GATEWAY_PORTS: "27000-27019" }))
const services = Layer.mergeAll(HeldPorts.layer, Shop.layer, GatewayProxies.layer).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(configured)
)

/** The gateway as another worker has it, with that worker's jobs. */
const otherWorker = Effect.gen(function* () {
  const proxies = Context.get(
    yield* Layer.build(Layer.provide(Layer.fresh(GatewayProxies.layer), configured)),
    GatewayProxies
  )
  const gateway = yield* Effect.provideService(EmbeddedGateway.make, GatewayProxies, proxies)
  const memory = Layer.mergeAll(
    Layer.mock(ToolServer)({ read: () => undefined }),
    Layer.mock(ToolSessions)({ closeIdle: Effect.succeed(new Map()) }),
    Providers.layerOf(gateway)
  )
  yield* Layer.build(Layer.provide(Jobs.layerOwn, memory))
  return proxies
})

const request = (article: string) => ({
  reference: randomUUID(),
  article,
  protocol: "HTTP" as const,
  limit_bytes: null,
  expires_at: DateTime.makeUnsafe("2100-01-01T00:00:00Z")
})

layer(services)("The stock that a worker knows", (it) => {
  it.effect("follows what other workers sell and what ends", () =>
    Effect.gen(function* () {
      yield* GatewayShop.apply({
        ...GatewayShop.demo.shop,
        pools: {
          ...GatewayShop.demo.shop.pools,
          "us-datacenter": { country: "US", kind: "datacenter", exits: ["203.0.113.6"] }
        }
      })
      const article = "datacenter-ipv4-us"
      const { close, open } = yield* GatewayProxies
      const other = yield* otherWorker
      const { id } = yield* open(request(article))
      assert.strictEqual((yield* Effect.flip(other.open(request(article))))._tag, "GatewayOutOfStock")
      assert.strictEqual(other.knownStock(article), 0)

      const knows = Effect.fnUntraced(function* (left: number) {
        for (let seconds = 0; seconds < 100; seconds++) {
          if (other.knownStock(article) === left) return
          yield* TestClock.adjust("1 second")
          yield* settled
        }
        assert.strictEqual(other.knownStock(article), left)
      })
      yield* close(id)
      yield* knows(1)
      yield* open(request(article))
      yield* knows(0)
    })
  )
})
