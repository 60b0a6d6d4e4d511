import { Array as Arr, Config, type Context, Effect, Layer, Metric, Option, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { hash, timingSafeEqual } from "node:crypto"
import * as AskWorker from "../platform/workers/AskWorker.ts"
import { othersOf, Worker } from "../platform/workers/Worker.ts"
import * as SumMetrics from "./SumMetrics.ts"

const seconds = Metric.histogram("http_request_duration_seconds", {
  description: "Time from the head of the request to the head of the response",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

const counters = new Map<string, Map<number, Metric.Counter<number>>>()

/** Returns the counter of a method and a status; there are few of both. */
const requests = (method: string, status: number) => {
  const found = counters.get(method)?.get(status)
  if (found !== undefined) return found
  const made = Metric.counter("http_requests_total", {
    description: "Answered requests",
    incremental: true,
    attributes: { method, status: String(status) }
  })
  const ofMethod = counters.get(method) ?? new Map<number, Metric.Counter<number>>()
  counters.set(method, ofMethod.set(status, made))
  return made
}

/** Counts an answered request in the registry of `context`. */
export const answered = (context: Context.Context<never>, method: string, status: number, millis: number) => {
  requests(method, status).updateUnsafe(1, context)
  seconds.updateUnsafe(millis / 1000, context)
}

const same = (a: string, b: string) => timingSafeEqual(hash("sha256", a, "buffer"), hash("sha256", b, "buffer"))

/** A worker asks the others with this query: each answers with its own metrics. */
const ofOne = "/metrics?own"

/** The metrics of this process, and of the other workers that answer. */
const metrics = Effect.fnUntraced(function* ({ headers, url }: HttpServerRequest.HttpServerRequest) {
  const own = yield* PrometheusMetrics.format()
  const worker = yield* Worker
  if (worker === undefined || url === ofOne) return own
  const { authorization = "" } = headers
  const asked = othersOf(worker).map((other) => AskWorker.ask(worker, other, ofOne, { authorization }))
  const others = yield* Effect.all(asked.map(Effect.timeout("1 second")).map(Effect.option), {
    concurrency: "unbounded"
  })
  return SumMetrics.sum([own, ...Arr.getSomes(others)])
})

const route = (token: string) =>
  HttpRouter.add(
    "GET",
    "/metrics",
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { headers } = request
      if (!same(headers["authorization"] ?? "", `Bearer ${token}`))
        return HttpServerResponse.jsonUnsafe(
          { detail: "Send METRICS_TOKEN as a bearer token", code: "UNAUTHORIZED" },
          { status: 401, headers: { "www-authenticate": "Bearer" } }
        )
      return HttpServerResponse.text(yield* metrics(request), {
        contentType: "text/plain; version=0.0.4; charset=utf-8"
      })
    })
  )

/**
 * `GET /metrics` in the Prometheus text format. The route exists only when `METRICS_TOKEN` is set, and requires that
 * token.
 */
export const layer = Layer.unwrap(
  Effect.map(Config.option(Config.Redacted("METRICS_TOKEN")), (token) =>
    Option.isNone(token) ? Layer.empty : route(Redacted.value(token.value))
  )
)
