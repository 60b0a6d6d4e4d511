import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Schedule, Schema } from "effect"
import { fork } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import * as fs from "node:fs"
import * as http from "node:http"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as FormToken from "../src/pages/FormToken.ts"
import { bodyLimit } from "../src/platform/requests/BodyLimit.ts"
import { costlyRequests } from "../test/support/CostlyRequests.ts"
import { freePort } from "../test/support/FreePort.ts"
import { worstPageForms } from "../test/support/WorstForms.ts"
import { type WorstRequest, worstRequests } from "../test/support/WorstRequests.ts"

// `npm run bench:bodies` sends the worst requests of each operation to the running service and prints their cost; on
// Linux only.
// `npm run bench:bodies -- 1048576` makes bodies of another size, in bytes.
// `npm run bench:bodies -- answers` sends only requests that are cheap to send and costly to answer.

/** The highest allowed cost of one request, in milliseconds and MiB. */
const aims = { held: 50, taken: 32 }
const largestAnswer = 64 * 1024
const [given] = process.argv.slice(2)
const answersAlone = given === "answers"
const size = Number(answersAlone ? bodyLimit : (given ?? bodyLimit))
/** A measurement includes other load on the machine; the lowest of some shows the cost of the request. */
const again = 4

const local = (file: string) => fileURLToPath(new URL(file, import.meta.url))

const Report = Schema.Struct({ held: Schema.Finite, worked: Schema.Finite, taken: Schema.Finite })

interface Cost {
  readonly held: number
  readonly worked: number
  readonly taken: number
}

const temporary = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), "bodies-bench-"))
    fs.chmodSync(directory, 0o755)
    return directory
  }),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
)

/** The service as a user runs it, with rate limits that the benchmark does not reach. */
const service = Effect.gen(function* () {
  const port = yield* freePort
  const directory = yield* temporary
  const first = 30_000 + (port % 20_000)
  const env = {
    PATH: process.env["PATH"],
    DATA_DIR: directory,
    PORT: String(port),
    GATEWAY_PORTS: `${first}-${first + 9}`,
    BLOCKLISTS: "none",
    LOG_LEVEL: "Error",
    RATE_LIMIT_PER_MINUTE: "1000000",
    AUTH_RATE_LIMIT_FACTOR: "1000"
  }
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      fork(local("../src/main.ts"), ["serve"], {
        env,
        execArgv: ["--expose-gc", "--import", local("./HeldLoop.ts")],
        stdio: ["ignore", "ignore", "inherit", "ipc"]
      })
    ),
    (child) =>
      Effect.promise(async () => {
        child.kill("SIGTERM")
        if (child.exitCode === null) await once(child, "exit")
      })
  )
  const url = `http://127.0.0.1:${port}`
  yield* Effect.tryPromise(async () => {
    if (!(await fetch(`${url}/health/ready`)).ok) throw new Error("not ready")
  }).pipe(Effect.retry(Schedule.spaced("200 millis")), Effect.timeout("1 minute"))
  /** Answers the cost since the last question. It omits time in which another program had the processor. */
  const cost = (also: "collect" | "nothing") =>
    Effect.promise(async (): Promise<Cost> => {
      const answered = once(child, "message")
      child.send(also)
      const { held, taken, worked } = Schema.decodeUnknownSync(Report)((await answered)[0])
      return { held: Math.min(held, worked), worked, taken }
    })
  return { url, cost }
})

const agent = new http.Agent({ keepAlive: true })

interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: http.IncomingHttpHeaders
}

const send = (url: string, { body, headers, method, url: target }: WorstRequest): Effect.Effect<Answer, Error> =>
  Effect.callback((resume) => {
    const sent = http.request(url + target, { agent, method, headers }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      response.on("end", () =>
        resume(Effect.succeed({ status: response.statusCode ?? 0, text, headers: response.headers }))
      )
      response.on("error", (error) => resume(Effect.fail(error)))
    })
    sent.on("error", (error) => resume(Effect.fail(error)))
    sent.end(body)
  })

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" }

const parsed = ({ text }: Answer) => JSON.parse(text)

const message = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params })

const form = { "content-type": "application/x-www-form-urlencoded" }

/** Registers a person in a browser; returns the cookies. */
const browser = Effect.fnUntraced(function* (url: string, person: Readonly<Record<string, string>>) {
  const cookies = new Map<string, string>()
  const open = Effect.fnUntraced(function* (method: string, target: string, body?: string) {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ")
    const headers = { ...form, cookie, "sec-fetch-site": "same-origin" }
    const answer = yield* send(url, { name: target, method, url: target, headers, ...(body !== undefined && { body }) })
    for (const line of answer.headers["set-cookie"] ?? []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
  })
  yield* open("GET", "/app/register")
  const form_token = FormToken.make(cookies.get("browser") ?? "", "register")
  yield* open("POST", "/app/register", new URLSearchParams({ ...person, form_token }).toString())
  if (!cookies.has("session")) return yield* Effect.die(new Error("The form of the registration was refused"))
  return cookies
})

type Own = (target: string, body: object) => Effect.Effect<ReturnType<typeof parsed>, Error>

/** What the forms of an account change. A form of anything else finds nothing. */
const estate = Effect.fnUntraced(function* (url: string, own: Own) {
  const { payment_intent_id, payment_url } = yield* own("payments/deposits", {
    amount: 1000,
    currency: "USD",
    payment_method: "card_gateway"
  })
  const target = new URL(payment_url).pathname
  yield* send(url, { name: target, method: "POST", url: target, headers: form, body: "outcome=paid" })
  const { kinds } = parsed(yield* send(url, { name: "catalog", method: "GET", url: "/v1/catalog", headers: {} }))
  const buy = Effect.fnUntraced(function* (kind: string, more: object) {
    const [offer] = kinds.find((one: { readonly kind: string }) => one.kind === kind).offers
    const [order] = yield* own("orders", { offer_id: offer.id, payment_method: "wallet", ...more })
    return { ...order, offer_id: String(offer.id) }
  })
  const { expires_at, id: order_id, offer_id } = yield* buy("datacenter", {})
  const { id: mobile_id } = yield* buy("mobile", { tarification_index: 0 })
  const { id: link_id } = yield* own("download-links", { name: "bench", format: "txt" })
  const { id: endpoint_id } = yield* own("webhooks", { url: "https://192.0.2.1/proxies" })
  const nobody = randomUUID()
  const others = ["card_id", "passkey_id", "key", "authorization_id", "delivery_id", "grant_id", "notification_id"]
  const ids: Record<string, string> = {
    ...Object.fromEntries([...others, "session_id"].map((name) => [name, nobody])),
    payment_intent_id,
    offer_id,
    order_id,
    traffic_id: order_id,
    mobile_id,
    link_id,
    endpoint_id
  }
  return { ids, ends: String(expires_at) }
})

/** An account with everything that a request can need. */
const somebody = Effect.fnUntraced(function* (url: string) {
  const ask = (target: string, headers: WorstRequest["headers"], body?: object) =>
    send(url, {
      name: target,
      method: body === undefined ? "GET" : "POST",
      url: target,
      headers: { ...json, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
  const person = { email: "bench@example.com", password: "correct horse battery staple" }
  const cookies = yield* browser(url, person)
  const signedIn = parsed(yield* ask("/v1/auth/login", {}, person))
  const session: string = signedIn.access_token
  const own = Effect.fnUntraced(function* (target: string, body: object) {
    return parsed(yield* ask(`/v1/${target}`, { authorization: `Bearer ${session}` }, body))
  })
  const { id: key_id, key } = yield* own("api-keys", { name: "bench" })
  const credential = { "x-api-key": key }
  const clientInfo = { name: "bench", version: "1" }
  const begin = (protocolVersion: string) =>
    Effect.map(
      ask("/mcp", credential, message("initialize", { protocolVersion, capabilities: {}, clientInfo })),
      ({ headers }) => String(headers["mcp-session-id"])
    )
  const [toolSession, laterToolSession] = [yield* begin("2025-03-26"), yield* begin("2025-11-25")]
  const listed = yield* ask("/mcp", { ...credential, "mcp-session-id": toolSession }, message("tools/list", {}))
  const document = parsed(yield* ask("/openapi.json", {}))
  const sender = { cookies, user_id: signedIn.user.id, ...(yield* estate(url, own)) }
  const ids = { ...sender.ids, key_id }
  return {
    document,
    tools: parsed(listed).result.tools,
    key,
    session,
    toolSession,
    laterToolSession,
    sender: { ...sender, ids }
  }
})

interface Measured extends Cost {
  readonly name: string
  readonly status: number
  readonly bytes: number
}

const measure = Effect.fnUntraced(function* ({ cost, url }: Effect.Success<typeof service>, request: WorstRequest) {
  const answer = yield* Effect.catch(send(url, request), (error) =>
    Effect.succeed({ status: 0, text: String(error), headers: {} })
  )
  // The timer has yet to fire after the last turn.
  yield* Effect.sleep(2)
  const spent = yield* cost("nothing")
  const measured: Measured = { name: request.name, status: answer.status, bytes: answer.text.length, ...spent }
  return measured
})

/** The sandbox keeps no cards, and answers so. */
const isAboutCards = ({ name }: Measured) => name.startsWith("/app/wallet/top-up ")

const isDear = ({ held, taken }: Cost) => held > aims.held / 2 || taken > aims.taken / 2

const line = ({ bytes, held, name, status, taken, worked }: Measured) =>
  `${held.toFixed(1).padStart(7)} ms held ${worked.toFixed(1).padStart(7)} ms worked ${taken.toFixed(1).padStart(6)} MiB ${String(bytes).padStart(8)} B  ${status}  ${name}`

const worstBy = (all: ReadonlyArray<Measured>, field: "held" | "worked" | "taken" | "bytes") =>
  all.toSorted((one, other) => other[field] - one[field]).slice(0, 10)

/** One after the other, because together they exceed the memory. */
function* requestsOf(caller: Effect.Success<ReturnType<typeof somebody>>) {
  yield* costlyRequests(caller)
  if (answersAlone) return
  yield* worstRequests(caller, size)
  yield* worstPageForms(caller.sender, size)
}

const run = Effect.gen(function* () {
  const running = yield* service
  const all: Array<Measured> = []
  const caller = yield* somebody(running.url)
  for (const request of requestsOf(caller)) {
    let found = yield* measure(running, request)
    for (let more = 0; more < again && isDear(found); more += 1) {
      yield* running.cost("collect")
      yield* running.cost("nothing")
      const { held, taken, worked } = yield* measure(running, request)
      found = {
        ...found,
        held: Math.min(held, found.held),
        worked: Math.min(worked, found.worked),
        taken: Math.min(taken, found.taken)
      }
    }
    all.push(found)
  }
  const statuses = Map.groupBy(all, ({ status }) => status)
  yield* Console.log(
    `${all.length} requests of ${size} bytes: ${[...statuses].map(([status, { length }]) => `${length} x ${status}`).join(", ")}`
  )
  for (const field of ["held", "worked", "taken", "bytes"] as const)
    yield* Console.log([`\nMost ${field}:`, ...worstBy(all, field).map(line)].join("\n"))
  const isCostly = new Set(costlyRequests(caller).map(({ name }) => name))
  const missed = all.filter((one) => {
    const { bytes, held, name, status, taken } = one
    return (
      held > aims.held ||
      taken > aims.taken ||
      (bytes > largestAnswer && !isCostly.has(name)) ||
      status === 0 ||
      (status >= 500 && !isAboutCards(one))
    )
  })
  yield* Console.log(["", ...missed.map((one) => `MISSES ${line(one)}`)].join("\n"))
  if (missed.length > 0) return yield* Effect.die(new Error(`${missed.length} of ${all.length} requests miss an aim`))
})

NodeRuntime.runMain(Effect.scoped(run))
