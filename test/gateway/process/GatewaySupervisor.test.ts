import { assert, layer, vi } from "@effect/vitest"
import { Clock, ConfigProvider, DateTime, Effect, Exit, Fiber, Layer, Schedule, Scope } from "effect"
import { TestClock } from "effect/testing"
import { execFileSync, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { mkdtemp, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { GatewayProxies } from "../../../src/gateway/GatewayProxies.ts"
import type { GatewayProxy } from "../../../src/gateway/GatewayProxy.ts"
import * as GatewaySupervisor from "../../../src/gateway/process/GatewaySupervisor.ts"
import { leaseBytes } from "../../../src/gateway/traffic/TrafficMeter.ts"
import { endlessSleeps } from "../../support/EndlessSleeps.ts"
import * as GatewayShop from "../../support/GatewayShop.ts"
import * as HeldPorts from "../../support/HeldPorts.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { flood, portRange, rawOrigin } from "../Origin.ts"
import { connectVia, drained, patience } from "../ProxyClient.ts"

const main = fileURLToPath(new URL("../../../src/main.ts", import.meta.url))
const supervisor = fileURLToPath(new URL("../../../src/gateway/process/GatewaySupervisor.ts", import.meta.url))

interface Process {
  readonly pid: number
  readonly parent: number
}

/** Lists the gateway processes of this machine, without zombies. */
const gateways = (): ReadonlyArray<Process> =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" })
    .split("\n")
    .flatMap((line) => {
      const [, pid, parent] = /^\s*(\d+)\s+(\d+)\s+[^Z\s]\S*\s.*main\.ts gateway$/.exec(line) ?? []
      return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent) }]
    })

const gatewaysOf = (parent: number | undefined) =>
  gateways()
    .filter((process) => process.parent === parent)
    .map(({ pid }) => pid)

const eventually = <A>(attempt: () => Promise<A>) => Effect.promise(() => vi.waitFor(attempt, patience))

const written = (file: string) => eventually(async () => JSON.parse(await readFile(file, "utf8")))

const ports = { GATEWAY_PORTS: `${portRange.first}-${portRange.last}` }

const services = Layer.mergeAll(GatewayProxies.layer, HeldPorts.layer, GatewayShop.layer()).pipe(
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(ports))),
  Layer.provideMerge(TestDatabase.layer)
)

const setting = Effect.gen(function* () {
  const origin = yield* Effect.acquireRelease(
    Effect.promise(() => rawOrigin(flood)),
    ({ close }) => Effect.sync(close)
  )
  const proxies = yield* GatewayProxies
  const proxy = yield* proxies.open({
    reference: randomUUID(),
    article: GatewayShop.articleOf({ kind: "residential" }),
    protocol: "HTTP",
    limit_bytes: 10_000_000_000n,
    expires_at: DateTime.makeUnsafe("2100-01-01T00:00:00Z")
  })
  const env = {
    DATABASE_URL: yield* TestDatabase.url,
    GATEWAY_ALLOW: `127.0.0.1:${origin.port}`,
    LOG_FORMAT: "json"
  }
  return { origin, proxy, options: { main, args: ["gateway"], env } }
})

const flowing = (proxy: GatewayProxy, port: number) =>
  eventually(async () => {
    const { socket, status } = await connectVia({ port: proxy.port, login: proxy.logins[0] }, `127.0.0.1:${port}`)
    assert.strictEqual(status, 200)
    return socket
  })

const counted = (id: GatewayProxy["id"]) =>
  Effect.map(
    GatewayProxies.use(({ get }) => get(id)),
    ({ leased_bytes, used_bytes }) => ({ used: Number(used_bytes), leased: Number(leased_bytes) })
  )

/** The supervisor waits without end for a gateway to end, and does not kill it after two seconds. */
const withoutKill = endlessSleeps((seconds) => seconds === 2)

layer(services, { excludeTestServices: true })("GatewaySupervisor", (it) => {
  it.effect("restarts a killed gateway; all passed bytes are booked or leased, and at most one lease more", () =>
    Effect.gen(function* () {
      const { options, origin, proxy } = yield* setting
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      const supervised = GatewaySupervisor.layerWith(options)
      yield* Layer.buildWithScope(Layer.provide(supervised, Layer.succeed(Clock.Clock, withoutKill)), scope)
      const end = drained(yield* flowing(proxy, origin.port))
      const isBooked = Effect.map(counted(proxy.id), ({ used }) => used > 0)
      yield* Effect.repeat(isBooked, { until: (booked) => booked, schedule: Schedule.spaced("20 millis") })
      const [first] = gatewaysOf(process.pid)
      process.kill(first!, "SIGKILL")
      const { bytes } = yield* Effect.promise(() => end)
      const { leased, used } = yield* counted(proxy.id)
      assert.isAbove(bytes, 0)
      assert.isAtMost(leased, leaseBytes)
      assert.isAtLeast(used + leased, bytes)

      const again = yield* flowing(proxy, origin.port)
      yield* Effect.promise(() => once(again, "data"))
      again.destroy()
      const [second, ...others] = gatewaysOf(process.pid)
      assert.deepStrictEqual(others, [])
      assert.notStrictEqual(second, first)

      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(gatewaysOf(process.pid), [])
      assert.strictEqual((yield* counted(proxy.id)).leased, leased, "the second one gave its lease back")
    })
  )

  it.effect("passes only the needed variables to the gateway, and gives it two seconds to end", () =>
    Effect.gen(function* () {
      const file = join(yield* Effect.promise(() => mkdtemp(join(tmpdir(), "supervisor-"))), "env")
      const wanted = {
        GATEWAY_HOST: "127.0.0.9",
        DATABASE_POOL: "10",
        DATA_DIR: "/d",
        LOG_LEVEL: "Warn",
        // The user of a database URL without a user.
        USER: "somebody"
      }
      const unwanted = [
        "STRIPE_SECRET_KEY",
        "PROXY_SELLER_API_KEY",
        "SMTP_URL",
        "METRICS_TOKEN",
        "PGPASSWORD",
        "UNHEARD_OF",
        "MY_PATH"
      ]
      for (const [name, value] of Object.entries(wanted)) vi.stubEnv(name, value)
      for (const name of unwanted) vi.stubEnv(name, "secret")
      yield* Effect.addFinalizer(() => Effect.sync(() => vi.unstubAllEnvs()))
      const program = `
        const { writeFileSync } = require("node:fs")
        for (const signal of ["SIGTERM", "SIGUSR2"])
          process.on(signal, () => writeFileSync(${JSON.stringify(file)} + signal, "[]"))
        setInterval(() => {}, 10_000)
        writeFileSync(${JSON.stringify(file)}, JSON.stringify({ ...process.env, pid: process.pid }))
      `
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      const supervised = GatewaySupervisor.layerWith({ main: "-e", args: [program], env: { EXTRA: "1" } })
      yield* Layer.buildWithScope(supervised, scope)
      const { pid, ...env } = yield* written(file)
      assert.deepInclude(env, { ...wanted, EXTRA: "1", PATH: process.env["PATH"], HOME: process.env["HOME"] })
      for (const name of unwanted) assert.notProperty(env, name)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* written(`${file}SIGTERM`)
      yield* TestClock.adjust("1999 millis")
      process.kill(pid, "SIGUSR2")
      yield* written(`${file}SIGUSR2`)
      yield* TestClock.adjust("1 milli")
      yield* Fiber.join(closing)
    }).pipe(Effect.provide(TestClock.layer()))
  )

  it.effect("leaves no gateway behind when the service is killed", () =>
    Effect.gen(function* () {
      const { options, origin, proxy } = yield* setting
      const program = `
          import { Effect, Layer } from "effect"
          import { layerWith } from ${JSON.stringify(supervisor)}
          Effect.runFork(Layer.launch(layerWith(${JSON.stringify(options)})))
        `
      const parent = yield* Effect.acquireRelease(
        Effect.sync(() => spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "ignore" })),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      const socket = yield* flowing(proxy, origin.port)
      socket.destroy()
      const [pid, ...others] = gatewaysOf(parent.pid)
      assert.isNumber(pid)
      assert.deepStrictEqual(others, [])
      parent.kill("SIGKILL")
      yield* eventually(async () => assert.isFalse(gateways().some((gateway) => gateway.pid === pid)))
      assert.strictEqual((yield* counted(proxy.id)).leased, 0)
    })
  )
})
