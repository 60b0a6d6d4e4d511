import { Effect, Schema } from "effect"
import * as http from "node:http"
import { error, success } from "../test/provider/adapters/ProxySellerAnswers.ts"
import type { Answer } from "../test/provider/vendors/VendorServer.ts"
import type { Random } from "./Random.ts"
import { countries, days, VendorBook } from "./VendorBook.ts"
import type { Judge } from "./Wire.ts"

/** The parts of the vendor's requests that this vendor reads. */
const Body = Schema.fromJsonString(
  Schema.Struct({
    countryId: Schema.optionalKey(Schema.String),
    periodId: Schema.optionalKey(Schema.String),
    ids: Schema.optionalKey(Schema.Array(Schema.String)),
    id: Schema.optionalKey(Schema.String),
    comment: Schema.optionalKey(Schema.String),
    login: Schema.optionalKey(Schema.String),
    password: Schema.optionalKey(Schema.String)
  })
)
type Body = typeof Body.Type
const decodeBody = Schema.decodeUnknownSync(Body)

/** The frequency of trouble in a call, when the vendor has any. */
const shares = { money: 0.15, free: 0.02 }

const afterwards = ["hang", "reset", { status: 500, body: "oops" }, { body: "<html>Bad gateway" }] as const
const refusal = error("Incorrect goal", 14)
const beforehand: ReadonlyArray<Answer> = [
  "reset",
  { status: 429, headers: { "retry-after": "1" }, body: "slow down" },
  refusal
]
const onQuestions: ReadonlyArray<Answer> = ["reset", { status: 500, body: "oops" }]

const periods = Object.keys(days).map((id) => ({ id, name: id }))
const reference = { ipv4: { country: countries, period: periods } }

const route = (book: VendorBook, path: string, query: URLSearchParams, body: Body): Answer => {
  const { comment = "", countryId = "", id = "", ids = [], login = "", password = "", periodId = "" } = body
  const orderId = query.get("orderId")
  const rows = () => {
    const lease = orderId === null ? undefined : book.lease(orderId)
    return lease === undefined ? [] : [book.row(lease)]
  }
  switch (path) {
    case "reference/list":
      return success(reference)
    case "order/calc":
      return success({ total: (days[periodId] ?? 0) / 10, currency: "USD" })
    case "order/make":
      return success({ orderId: book.sell(countryId, periodId).order_id, total: 1 })
    case "prolong/make/ipv4": {
      const lease = book.prolong(ids[0] ?? "", periodId)
      return lease === undefined ? error("Incorrect ids", 29) : success({ orderId: lease.order_id, total: 1 })
    }
    case "proxy/list":
      return success({ ipv4: rows() })
    case "proxy/list/ipv4":
      return success({ items: rows() })
    case "order/list": {
      const items = book.page(Number(query.get("page")), Number(query.get("limit")))
      return success({ items: items.map(({ order_id }) => ({ order_id })) })
    }
    case "proxy/comment/set":
      book.comment(ids, comment)
      return success({ updated: ids.length })
    case "auth/list":
      return success(book.authorizations)
    case "auth/change": {
      const changed = book.changeLogin(id, login, password)
      return changed === undefined ? error("Incorrect id", 0) : success(changed)
    }
    default:
      return { status: 404, body: "no such path" }
  }
}

const isMoney = (path: string) => path === "order/make" || path.startsWith("prolong/make")
const isChange = (path: string) => isMoney(path) || path.startsWith("auth/change") || path === "proxy/comment/set"

const send = (response: http.ServerResponse, answer: Answer) => {
  if (answer === "hang") return
  if (answer === "reset") return void response.socket?.destroy()
  const { body, headers = {}, status = 200 } = answer
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(typeof body === "string" ? body : JSON.stringify(body))
}

const read = async (request: http.IncomingMessage) => {
  let text = ""
  for await (const chunk of request) text += chunk
  return decodeBody(text === "" ? "{}" : text)
}

/** The first part of the path names the asking instance: each instance has its own address. */
const addressed = /^\/(\w+)\/key\/(.+)$/

interface Options {
  readonly now: () => number
  readonly random: Random
  readonly judges: Readonly<Record<string, Judge>>
}

/** The trouble that the vendor makes; the harness changes it during a run. */
interface Control {
  /** True when calls meet trouble; `refused` is the share of purchases that are refused besides. */
  isTroubled: boolean
  refused: number
  /** The answer to every purchase and every question while it is set. */
  purchases: "hang after" | undefined
  questions: Answer | undefined
}

/**
 * Proxy-Seller's API v2 to the extent that the adapter uses it, with a book of its sales. It has no idempotency key,
 * and sometimes it does what it is asked without an answer.
 */
export interface Vendor {
  readonly book: VendorBook
  readonly control: Control
  /** The address for one instance. */
  readonly urlFor: (instance: string) => string
}

export const start = Effect.fnUntraced(function* ({ judges, now, random }: Options) {
  const book = new VendorBook(now)
  const control: Control = { isTroubled: false, refused: 0, purchases: undefined, questions: undefined }

  const answerTo = (path: string, work: () => Answer): Answer => {
    if (isMoney(path)) {
      if (control.purchases !== undefined) return (work(), "hang")
      if (random.chance(control.refused)) return refusal
      if (!control.isTroubled || !random.chance(shares.money)) return work()
      if (random.chance(0.3)) return random.pick(beforehand)
      return (work(), random.pick(afterwards))
    }
    if (control.questions !== undefined && !path.startsWith("reference")) return control.questions
    return control.isTroubled && random.chance(shares.free) ? random.pick(onQuestions) : work()
  }

  const handle = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://vendor")
    const [, instance = "", path = ""] = addressed.exec(url.pathname) ?? []
    const body = await read(request)
    const judge = judges[instance]
    const work = () => route(book, path, url.searchParams, body)
    const verdict = judge === undefined || !isChange(path) ? "pass" : judge.judge(`vendor ${path}`)
    if (verdict === "kill before") return judge?.kill()
    if (verdict === "pass") return send(response, answerTo(path, work))
    work()
    if (verdict === "kill after") return judge?.kill()
    send(response, "reset")
  }

  const server = yield* Effect.acquireRelease(
    Effect.callback<http.Server>((resume) => {
      const server = http.createServer(
        (request, response) => void handle(request, response).catch(() => response.destroy())
      )
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => void (server.closeAllConnections(), server.close()))
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const vendor: Vendor = { book, control, urlFor: (instance) => `http://127.0.0.1:${port}/${instance}` }
  return vendor
})
