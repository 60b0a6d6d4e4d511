import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "../support/FreePort.ts"
import * as RunningService from "../support/RunningService.ts"

const { curl, eventually, isRunning, pidsBelow } = RunningService

/** A minimal client of the running service. */
const client = (url: string) => {
  let token = ""
  const call = (method: string, path: string, body?: object) =>
    Effect.promise(async () => {
      const response = await fetch(path.startsWith("http") ? path : `${url}/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return { status: response.status, body: (await response.json()) as any }
    })
  return { call, signIn: (accessToken: string) => void (token = accessToken) }
}

const proxyUrl = (scheme: string, { host, password, port, username }: any) =>
  `${scheme}://${username}:${password}@${host}:${port}`

const readme = fs.readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8")

/** The README's walk as a newcomer pastes it, for a service on another port and without requests to the internet. */
const walkAt = (port: string) => {
  const section = readme.split("\n## ").find((section) => section.startsWith("From sign-up")) ?? ""
  return [...section.matchAll(/```sh\n(.*?)```/gs)]
    .flatMap(([, block = ""]) => block.split("\n"))
    .filter((line) => !line.includes("# with the internet"))
    .join("\n")
    .replaceAll("8080", port)
}

/** Runs the walk in a shell whose `sleep` does not wait; answers output and errors together. */
const paste = (text: string) =>
  Effect.callback<string>((resume) => {
    const env = { PATH: `${path.dirname(process.execPath)}:${process.env["PATH"]}` }
    const child = execFile("bash", { env, timeout: 240_000 }, (error, stdout) =>
      resume(error === null ? Effect.succeed(stdout) : Effect.die(new Error(`${error.message}\n${stdout}`)))
    )
    child.stdin?.end(`exec 2>&1\nsleep() { :; }\n${text}`)
  })

const count = (text: string, part: string) => text.split(part).length - 1

/** The service as a newcomer starts it, and its first process. */
class Started extends Context.Service<
  Started,
  {
    readonly service: Effect.Success<typeof RunningService.make>
    readonly first: Effect.Success<Effect.Success<typeof RunningService.make>["start"]>
  }
>()("test/Started") {
  static readonly layer = Layer.effect(
    Started,
    Effect.gen(function* () {
      const service = yield* RunningService.make
      return { service, first: yield* service.start }
    })
  )
}

layer(Started.layer, { excludeTestServices: true })("A newcomer", (it) => {
  it.effect("learns from the README's walk that nothing answers while no service runs", () =>
    Effect.gen(function* () {
      const port = String(yield* freePort)
      const output = yield* paste(`(${walkAt(port)}\n) || true`)
      assert.strictEqual(output.trim(), `No answer from http://localhost:${port}/v1`)
    })
  )

  it.effect(
    "pastes the README's walk, which works, also a second time with the same account",
    () =>
      Effect.gen(function* () {
        const { service } = yield* Started
        const walk = walkAt(new URL(service.url).port)
        const output = yield* paste(`${walk}\n${walk}`)
        assert.strictEqual(count(output, "The account exists already: signing in"), 1, output)
        // The proxy works, one more month is paid, the mobile proxy is given back.
        for (const part of [`{"status":"ok"}`, `"previous_expires_at"`, "\ncancelled\n"])
          assert.strictEqual(count(output, part), 2, `${part} in ${output}`)
        assert.notMatch(output, /Error|undefined|^ +at /m)
        const refused = yield* paste(walk.replace("correct horse", "another horse"))
        assert.strictEqual(
          refused.trim(),
          "The account exists already: signing in\nNo account has this email and password"
        )
        assert.include(readme, "`No account has this email and password`")
      }),
    300_000
  )

  it.effect(
    "signs up, pays, orders, uses proxies, and loses nothing to a crash",
    () =>
      Effect.gen(function* () {
        const { first, service } = yield* Started
        const { call, signIn } = client(service.url)
        const target = `${service.url}/health/live`

        const registered = yield* call("POST", "/auth/register", {
          email: "new@example.com",
          password: "correct horse"
        })
        assert.strictEqual(registered.status, 201)
        signIn(registered.body.access_token)

        const deposit = yield* call("POST", "/payments/deposits", {
          amount: 25,
          currency: "USD",
          payment_method: "card_gateway"
        })
        assert.strictEqual(deposit.status, 201)
        const page = yield* curl("-L", "-d", "outcome=paid", deposit.body.payment_url)
        assert.include(page.stdout, "Payment complete")
        const wallet = yield* call("GET", "/wallet/balance?currency=USD")
        assert.strictEqual(wallet.body.balance, 25)

        const catalog = yield* call("GET", "/catalog?kind=datacenter&country=US&is_available=true")
        const offer = catalog.body.kinds[0].offers.find((offer: any) => offer.ip_version === "IPv4")
        const order = (protocol: string) =>
          Effect.gen(function* () {
            const { body, status } = yield* call("POST", "/orders", {
              offer_id: offer.id,
              payment_method: "wallet",
              protocol
            })
            assert.deepStrictEqual([status, body[0].status], [201, "provisioned"])
            return { id: body[0].id, access: body[0].proxy_access[0] }
          })
        const http = yield* order("HTTP")
        const socks = yield* order("SOCKS5")

        const httpProxy = proxyUrl("http", http.access)
        const socksProxy = proxyUrl("socks5h", socks.access)
        const fetches = (proxy: string, ...options: ReadonlyArray<string>) =>
          Effect.map(curl("-x", proxy, ...options, target), ({ stdout }) => stdout)
        const works = (proxy: string) =>
          eventually(
            "the proxy works",
            Effect.filterOrFail(fetches(proxy), (text) => text === `{"status":"ok"}`)
          )
        yield* works(httpProxy)
        yield* works(socksProxy)
        assert.strictEqual(yield* fetches(httpProxy, "--proxytunnel"), `{"status":"ok"}`)

        for (const { id } of [http, socks]) {
          const { body } = yield* call("POST", `/orders/${id}/test`)
          assert.deepInclude(body, { works: true, failure: null, exit_ip: "127.0.0.1" })
        }

        const status = (...args: ReadonlyArray<string>) =>
          Effect.map(curl("-o", "/dev/null", "-w", "%{http_code} %{http_connect}", ...args), ({ stdout }) => stdout)
        assert.strictEqual(yield* status("-x", httpProxy.replace(/:[^:@]+@/, ":wrong@"), target), "407 000")
        assert.strictEqual(yield* status("-x", httpProxy, "http://127.0.0.1:1/"), "403 000")
        assert.strictEqual((yield* curl("-x", socksProxy.replace(/:[^:@]+@/, ":wrong@"), target)).code, 97)

        const used = (id: string) =>
          Effect.map(
            call("GET", `/orders/${id}/traffic-usage?period=last_24h`),
            ({ body }) => body.summary.total_used_gb
          )
        const metered = eventually(
          "traffic shows",
          Effect.flatMap(used(socks.id), (gb) => (gb > 0 ? Effect.succeed(gb) : Effect.fail("none yet")))
        )
        const before = yield* metered

        const gateway = service.gatewayPid(first.pid)
        const environment = fs.readFileSync(`/proc/${gateway}/environ`, "utf8").split("\0")
        assert.match(environment.find((entry) => entry.startsWith("DATABASE_URL=")) ?? "", /user=proxy_gateway&/)
        assert.match(service.output(), /The gateway serves at most \d+ clients/)
        process.kill(gateway, "SIGKILL")
        yield* works(httpProxy)
        assert.notStrictEqual(service.gatewayPid(first.pid), gateway)

        const everything = [first.pid, ...pidsBelow(first.pid)]
        assert.isAtLeast(everything.length, 3)
        process.kill(first.pid, "SIGKILL")
        yield* eventually(
          "no orphan is left",
          Effect.suspend(() => (everything.some(isRunning) ? Effect.fail("still there") : Effect.void))
        )

        const second = yield* service.start
        const orders = yield* call("GET", "/orders")
        assert.deepStrictEqual(
          orders.body.orders.map((order: any) => [order.status, order.proxy_status]),
          [
            ["provisioned", "active"],
            ["provisioned", "active"]
          ]
        )
        yield* works(httpProxy)
        yield* works(socksProxy)
        assert.isAtLeast(yield* used(socks.id), before)

        second.child.kill("SIGTERM")
        assert.strictEqual(yield* Effect.promise(() => second.exited), 0)
        assert.include(service.output(), "Stopping: requests end first")
      }),
    300_000
  )
})
