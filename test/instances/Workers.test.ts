import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import * as fs from "node:fs"
import { request } from "node:http"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { setTimeout as pause } from "node:timers/promises"
import { initialize, message } from "../mcp/McpTesting.ts"
import * as RunningService from "../support/RunningService.ts"
import { newKey } from "./AppsTesting.ts"
import { ask, balanceOf, customer, many, offerAt, order, publicUrl, soon } from "./InstancesTesting.ts"

const limit = 300
const token = "metrics token"
const patience = 240_000

/** The service with two workers, its embedded database and its gateway. */
class Workers extends Context.Service<Workers>()("test/Workers", {
  make: Effect.gen(function* () {
    const service = yield* RunningService.makeWith({
      args: ["--workers", "2"],
      env: {
        PUBLIC_URL: publicUrl,
        RATE_LIMIT_PER_MINUTE: String(limit),
        AUTH_RATE_LIMIT_FACTOR: "1000",
        METRICS_TOKEN: token
      }
    })
    const { child, exited, pid } = yield* service.start
    /** The present process of a worker. */
    const pidOf = (number: number) =>
      Number(
        service
          .output()
          .match(new RegExp(`Worker ${number} runs as process (\\d+)`, "g"))
          ?.at(-1)
          ?.match(/\d+$/)?.[0]
      )
    const lines = (part: string) =>
      service
        .output()
        .split("\n")
        .filter((line) => line.includes(part))
    yield* soon(
      "all workers answer",
      Effect.sync(() => lines("All 2 workers answer requests").length),
      (n) => n === 1
    )
    return { ...service, child, exited, pid, pidOf, lines }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** Asks on a connection of its own, which may reach any worker. */
const askAnew = (url: string, method: string, headers: Record<string, string> = {}, body?: object) =>
  Effect.promise(async () => {
    const sent = request(url, { method, agent: false, headers: { ...headers, "content-type": "application/json" } })
    sent.end(body && JSON.stringify(body))
    const [answer] = await once(sent, "response")
    return { status: answer.statusCode as number, headers: answer.headers, body: await text(answer) }
  })

/** Requests of a stranger that names a session of each worker. A `Trailer` is only valid for a chunked body. */
const foreign = [1, 2].map(
  (number) => `GET /mcp HTTP/1.1\r\nHost: a\r\nMcp-Session-Id: ${number}.a\r\nTrailer: a\r\n\r\n`
)

/** Sends a request on a connection of its own. */
const sendAnew = async (url: string, text: string) => {
  const socket = connect(Number(new URL(url).port), new URL(url).hostname)
  socket.on("error", () => {})
  await once(socket, "connect")
  socket.setNoDelay().write(text)
  return socket
}

const openSession = Effect.fnUntraced(function* (url: string) {
  const headers = { ...(yield* newKey(url)), accept: "application/json, text/event-stream" }
  const opened = yield* askAnew(`${url}/mcp`, "POST", headers, initialize)
  const id = String(opened.headers["mcp-session-id"])
  const use = (method: string, body?: object) =>
    askAnew(`${url}/mcp`, method, { ...headers, "mcp-session-id": id }, body)
  return { id, use, list: use("POST", message("tools/list")) }
})

/** Opens a session of each worker. The system chooses the worker of a connection. */
const openAtBoth = (url: string) => {
  // A worker that was killed answers again after its start.
  const opened = Effect.catchDefect(openSession(url), Effect.fail)
  const openAt = (number: number) =>
    soon(`worker ${number} opens a session`, opened, ({ id }) => id.startsWith(`${number}.`))
  return Effect.all([openAt(1), openAt(2)])
}

layer(Workers.layer, { excludeTestServices: true })("Two workers of one service", (it) => {
  it.effect(
    "answer each session of tools on any connection, until its worker ends",
    () =>
      Effect.gen(function* () {
        const { pidOf, url } = yield* Workers
        const [first, second] = yield* openAtBoth(url)
        for (const { list } of [first, second])
          assert.deepStrictEqual(new Set((yield* many(4, () => list)).map(({ status }) => status)), new Set([200]))
        assert.strictEqual((yield* first.use("DELETE")).status, 204)
        assert.deepStrictEqual(
          (yield* many(4, () => first.list)).map(({ status }) => status),
          [404, 404, 404, 404]
        )

        const before = pidOf(2)
        process.kill(before, "SIGKILL")
        // Connections that wait for the dying process are reset.
        const listed = Effect.catchDefect(second.list, () => Effect.succeed({ status: 0 }))
        for (const _ of [1, 2, 3, 4]) yield* soon("the session has ended", listed, ({ status }) => status === 404)
        yield* soon(
          "its successor runs",
          Effect.sync(() => pidOf(2)),
          (pid) => pid !== before
        )
      }),
    patience
  )

  it.effect(
    "answer after a request that cannot be passed on as it came, and after a client that left before its worker saw it",
    () =>
      Effect.gen(function* () {
        const { lines, pidOf, url } = yield* Workers
        yield* openAtBoth(url)
        const pids = [1, 2].map(pidOf)
        const ends = lines("ended (").length
        const several = Array.from({ length: 6 }, () => foreign).flat()
        yield* Effect.promise(async () => {
          for (const text of several) {
            const [answer] = await once(await sendAnew(url, text), "data", { signal: AbortSignal.timeout(10_000) })
            assert.match(String(answer), /^HTTP\/1\.1 401 /)
          }
          // The workers find these connections when they are reset already.
          for (const pid of pids) process.kill(pid, "SIGSTOP")
          const sockets = await Promise.all(several.map((text) => sendAnew(url, text)))
          await pause(200)
          for (const socket of sockets) socket.resetAndDestroy()
          await pause(200)
          for (const pid of pids) process.kill(pid, "SIGCONT")
          await pause(500)
        })
        assert.strictEqual((yield* askAnew(`${url}/health/ready`, "GET")).status, 200)
        assert.lengthOf(lines("ended ("), ends)
      }),
    patience
  )

  it.effect(
    "report their metrics together",
    () =>
      Effect.gen(function* () {
        const { url } = yield* Workers
        const counted = Effect.gen(function* () {
          const { body } = yield* askAnew(`${url}/metrics`, "GET", { authorization: `Bearer ${token}` })
          return Number(/^http_requests_total\{method="GET",status="404"\} (\d+)/m.exec(body)?.[1] ?? 0)
        })
        yield* openAtBoth(url)
        const before = yield* counted
        yield* many(20, () => askAnew(`${url}/nothing`, "GET"))
        assert.strictEqual((yield* counted) - before, 20)
        assert.strictEqual((yield* askAnew(`${url}/metrics`, "GET")).status, 401)
      }),
    patience
  )

  it.effect(
    "make and charge each order once while workers are killed",
    () =>
      Effect.gen(function* () {
        const { pidOf, url } = yield* Workers
        const { token } = yield* customer(url, url, 100)
        const offer_id = yield* offerAt(url)
        const before = yield* balanceOf(url, token)
        // An order whose worker was killed is busy for half a minute; then another worker finishes it.
        const buy = (key: string) =>
          soon(
            "the order is made",
            Effect.catchDefect(order(url, token, offer_id, key), () => Effect.succeed({ status: 0, body: [] })),
            ({ status }) => status === 201 || status === 409
          )
        const buying = many(8, () => buy(randomUUID()))
        const killing = Effect.promise(async () => {
          for (const number of [1, 2]) {
            await pause(100)
            process.kill(pidOf(number), "SIGKILL")
          }
        })
        const [answers] = yield* Effect.all([buying, killing], { concurrency: "unbounded" })
        yield* openAtBoth(url)
        const made = answers.flatMap(({ body, status }) => (status === 201 ? [body[0].id as string] : []))
        const { body } = yield* ask(url, "GET", "/v1/orders", { token })
        const listed: ReadonlyArray<{ id: string; total_usd: number }> = body.orders
        assert.includeMembers(
          listed.map(({ id }) => id),
          made
        )
        assert.isAtMost(listed.length, answers.length)
        const paid = listed.reduce((sum, { total_usd }) => sum + Math.round(total_usd * 1e6), 0)
        assert.strictEqual(yield* balanceOf(url, token), before - paid)
      }),
    patience
  )

  it.effect(
    "count an account's requests together, whichever of them answers",
    () =>
      Effect.gen(function* () {
        const { url } = yield* Workers
        const visit = askAnew(`${url}/v1/users/me`, "GET", yield* newKey(url))
        // The creation of the key was the first request.
        const most = limit - 1
        const visits = yield* Effect.all(Effect.replicate(visit, most), { concurrency: 8 })
        assert.deepStrictEqual([...new Set(visits.map(({ status }) => status))], [200])
        const left = visits.map(({ headers }) => Number(/r=(\d+)/.exec(String(headers["ratelimit"]))?.[1]))
        assert.deepStrictEqual(
          left.toSorted((a, b) => a - b),
          Array.from({ length: most }, (_, n) => n)
        )
        assert.strictEqual((yield* visit).status, 429)
      }),
    patience
  )

  it.effect(
    "fail to start in one line, on a port in use or with more connections than PostgreSQL allows",
    () =>
      Effect.gen(function* () {
        const { directory, url } = yield* Workers
        const port = new URL(url).port
        const taken = yield* RunningService.failing(["--workers", "2", "--no-gateway"], {
          DATA_DIR: directory,
          PORT: port
        })
        assert.deepStrictEqual(taken, {
          code: 1,
          stderr: `PORT: 127.0.0.1:${port} is in use; start with another port (PORT=${Number(port) + 1} npm start), or stop the program that uses it\n`
        })
        const { code, stderr } = yield* RunningService.failing(["--workers", "32", "--no-gateway"], {
          DATA_DIR: directory
        })
        assert.strictEqual(code, 1)
        assert.match(stderr, /^WORKERS: all processes together need 763 connections, and PostgreSQL allows 300: .*\n$/)
      }),
    patience
  )

  it.effect(
    "run the jobs once, and end with the process that started them",
    () =>
      Effect.gen(function* () {
        const { child, exited, lines, output, pid } = yield* Workers
        assert.deepStrictEqual(
          [...new Set(lines("The catalog changed").map((line) => JSON.parse(line).annotations.worker))],
          [1],
          output()
        )
        assert.lengthOf(lines("Proxy Rental Service is ready"), 1)
        const below = RunningService.pidsBelow(pid)
        child.kill("SIGKILL")
        yield* Effect.promise(() => exited)
        yield* soon(
          "no process is left",
          Effect.sync(() => below.filter(RunningService.isRunning)),
          ({ length }) => length === 0
        )
      }),
    patience
  )

  it.effect(
    "end with it also while they start",
    () =>
      Effect.gen(function* () {
        const { output, start } = yield* RunningService.makeWith({ args: ["--workers", "2", "--no-gateway"] })
        yield* Effect.forkScoped(start)
        const startedPid = Effect.sync(() => Number(/Worker 1 runs as process (\d+)/.exec(output())?.[1]))
        const pid = yield* soon("a worker starts", startedPid, (pid) => pid > 0)
        const [, primary] = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
        process.kill(Number(primary), "SIGKILL")
        const isRunning = Effect.sync(() => RunningService.isRunning(pid))
        yield* Effect.timeout(
          soon("the worker ends", isRunning, (is) => !is),
          "20 seconds"
        )
      }),
    patience
  )
})
