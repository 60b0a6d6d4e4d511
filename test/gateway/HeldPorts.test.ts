import { assert, layer, vi } from "@effect/vitest"
import { Clock, ConfigProvider, Context, Duration, Effect, Exit, Layer, Logger, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { hostname } from "node:os"
import * as ControlDatabase from "../../src/gateway/control/ControlDatabase.ts"
import * as Gateway from "../../src/gateway/process/Gateway.ts"
import { GatewayLimits } from "../../src/gateway/GatewayLimits.ts"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import { GatewayServer } from "../../src/gateway/process/GatewayServer.ts"
import { HeldPortsRepo } from "../../src/gateway/HeldPortsRepo.ts"
import * as KeepPorts from "../../src/gateway/process/KeepPorts.ts"
import { TrafficMeter } from "../../src/gateway/traffic/TrafficMeter.ts"
import { resolve } from "../../src/platform/outbound/NameResolution.ts"
import { hold } from "../support/HeldPorts.ts"
import * as GatewayShop from "../support/GatewayShop.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { portRange, rawOrigin } from "./Origin.ts"
import { connectVia, patience } from "./ProxyClient.ts"
import { open, via } from "./RunningGateway.ts"

const { first } = portRange
const usual = Context.get(Context.empty(), GatewayLimits)
const env = (last: number) => ConfigProvider.layer(ConfigProvider.fromEnvRecord({ GATEWAY_PORTS: `${first}-${last}` }))
const limits = Layer.succeed(GatewayLimits, {
  ...usual,
  reserve: 4,
  lostPortMillis: 0
})

/** Runs a gateway until the scope closes. */
const gateway = (last: number) => Layer.build(Layer.fresh(Gateway.layer).pipe(Layer.provide([env(last), limits])))

/** Moves the clock of gateways past the time after which a port is lost. */
const clock = Effect.gen(function* () {
  const real = performance.now.bind(performance)
  let ahead = 0
  const spy = vi.spyOn(performance, "now").mockImplementation(() => real() + ahead)
  yield* Effect.addFinalizer(() => Effect.sync(() => spy.mockRestore()))
  return () => void (ahead += usual.lostPortMillis + 1)
})

const live = Clock.Clock.defaultValue()

/** Shortens sleeps to one second, so that the gateway reads all proxies more often. */
const hasty: Clock.Clock = Object.assign(Object.create(live), {
  sleep: (duration: Duration.Duration) => live.sleep(Duration.min(duration, Duration.seconds(1)))
})

/** A listener of another program. It reads everything. */
const stranger = (port: number) =>
  Effect.gen(function* () {
    const received: Array<string> = []
    const listener = yield* Effect.acquireRelease(
      Effect.promise(() =>
        rawOrigin((socket) => void socket.on("data", (data) => received.push(String(data))), {
          host: "127.0.0.1",
          port
        })
      ),
      ({ close }) => Effect.sync(close)
    )
    return { received, ...listener }
  })

const services = Layer.merge(GatewayProxies.layer, GatewayShop.layer()).pipe(
  Layer.provide(env(first + 9)),
  Layer.provideMerge(TestDatabase.layer)
)

layer(services, { excludeTestServices: true })("Sold ports", (it) => {
  it.effect("are all ports when other programs hold the rest: an order does not wait for those", () =>
    Effect.gen(function* () {
      const { close, countStock } = yield* GatewayProxies
      yield* stranger(first)
      yield* stranger(first + 1)
      yield* gateway(first + 3)
      const sold = yield* Effect.forEach([1, 2], () => open(), { concurrency: 2 })
      assert.sameMembers(
        sold.map(({ port }) => port),
        [first + 2, first + 3]
      )
      assert.strictEqual((yield* countStock).get(GatewayShop.articleOf()), 0)
      assert.strictEqual((yield* Effect.flip(open()))._tag, "GatewayOutOfStock")
      for (const { id } of sold) yield* close(id)
    })
  )

  it.effect("are held by the gateway: ports of other programs are skipped, and sold when they are free", () =>
    Effect.gen(function* () {
      const { received, close } = yield* stranger(first)
      yield* stranger(first + 2)
      yield* gateway(first + 9)
      const sold = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => open(), { concurrency: 3 })
      const ports = sold.map(({ port }) => port)
      assert.notInclude(ports, first)
      assert.notInclude(ports, first + 2)
      for (const proxy of sold)
        yield* Effect.promise(() =>
          vi.waitFor(
            async () => assert.strictEqual((await connectVia(via(proxy), "10.0.0.1:80")).status, 403),
            patience
          )
        )
      assert.deepStrictEqual(received, [])
      close()
      for (const { id } of sold) yield* GatewayProxies.use((proxies) => proxies.close(id))
    })
  )

  it.effect("cannot be taken by another program before they are sold", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* gateway(first + 9)
      yield* open()
      const stock = yield* (yield* GatewayProxies).countStock
      assert.strictEqual(stock.get(GatewayShop.articleOf()), Infinity, "the gateway can hold more")
      const held = yield* sql<{ port: number }>`SELECT port FROM gateway_port`
      assert.isNotEmpty(held)
      for (const { port } of held) assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.scoped(stranger(port)))))
    })
  )

  it.effect("do not count as served by a standby gateway until it takes over", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      yield* Scope.provide(gateway(first + 9), scope)
      const proxy = yield* open()
      yield* Effect.promise(() => vi.waitFor(async () => connectVia(via(proxy), "10.0.0.1:80"), patience))
      const told: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => void told.push(`${logLevel}: ${String(message)}`))
      yield* Effect.provide(gateway(first + 9), [Logger.layer([logger]), Layer.succeed(Clock.Clock, hasty)])
      const lines = () => told.filter((line) => /is ready at|Cannot listen on|holds the ports/.test(line))
      yield* Effect.promise(() => vi.waitFor(() => assert.lengthOf(lines(), 2), patience))
      assert.match(lines()[0] ?? "", /served proxies: 0$/)
      assert.match(lines()[1] ?? "", /^Warn: Cannot listen on (\d+) of \1 ports/)
      yield* Scope.close(scope, Exit.void)
      yield* Effect.promise(() => vi.waitFor(() => assert.lengthOf(lines(), 3), patience))
      assert.strictEqual(lines()[2], "Info: The gateway holds the ports of all proxies again")
    })
  )

  it.effect("are not lost while a gateway of the same place restarts", () =>
    Effect.gen(function* () {
      const options = { ...usual, allow: new Set<string>(), isOwn: () => false, resolve, bind: "127.0.0.1" }
      const server = new GatewayServer(options)
      yield* Effect.addFinalizer(() => Effect.sync(() => server.stopAll()))
      const { keep } = yield* Effect.provide(KeepPorts.make(server), [env(first + 9), ControlDatabase.layer])
      const peer = yield* Scope.make()
      const ofPeer = hold({ first, last: first + 9 }, { place: `${hostname()} 127.0.0.1` })
      yield* Effect.provide(Scope.provide(ofPeer, peer), HeldPortsRepo.layer)
      const proxy = yield* open()
      yield* stranger(proxy.port)
      const meter = () => new TrafficMeter(proxy.id, () => {})
      yield* Effect.exit(Effect.tryPromise(() => server.serve(proxy, meter)))
      const later = yield* clock
      const isOpen = Effect.map(
        GatewayProxies.use(({ get }) => get(proxy.id)),
        ({ status }) => status === "open"
      )
      later()
      yield* keep
      yield* Scope.close(peer, Exit.void)
      yield* keep
      assert.isTrue(yield* isOpen)
      later()
      yield* keep
      assert.isFalse(yield* isOpen)
    })
  )

  it.effect("are tried again after an error, with one warning per port and error", () =>
    Effect.gen(function* () {
      const options = { ...usual, allow: new Set<string>(), isOwn: () => false, resolve, bind: "127.0.0.1" }
      const server = new GatewayServer(options)
      yield* Effect.addFinalizer(() => Effect.sync(() => server.stopAll()))
      const told: Array<string> = []
      const logger = Logger.make(({ message }) => void told.push(String(message)))
      const { keep } = yield* Effect.provide(KeepPorts.make(server), [env(first + 9), ControlDatabase.layer])
      const failing = vi.spyOn(server, "hold")
      for (const error of ["listen EMFILE", "listen EMFILE", "listen EACCES", "listen EACCES"]) {
        failing.mockRejectedValueOnce(new Error(error))
        yield* Effect.provide(keep, Logger.layer([logger]))
      }
      assert.strictEqual(server.reserved, 0)
      assert.deepStrictEqual(
        told.map((line) => line.replace(/\d+/, "N")),
        ["EMFILE", "EACCES"].map((error) => `Cannot hold port N: Error: listen ${error}`)
      )
      yield* keep
      assert.isAbove(server.reserved, 0)
    })
  )

  it.effect("end their proxies when another program takes them", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      yield* Scope.provide(gateway(first + 9), scope)
      const proxy = yield* open()
      yield* Scope.close(scope, Exit.void)
      yield* stranger(proxy.port)
      yield* gateway(first + 9)
      const status = Effect.map(
        GatewayProxies.use(({ get }) => get(proxy.id)),
        ({ status }) => status
      )
      yield* status.pipe(
        Effect.repeat({ until: (status) => status === "closed", schedule: Schedule.spaced("50 millis") })
      )
    })
  )
})
