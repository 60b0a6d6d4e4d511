import { Config, type Context, Effect, Layer, Metric, Option, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { hash, timingSafeEqual } from "node:crypto"

const seconds = Metric.histogram("http_request_duration_seconds", {
  description: "Time from the head of the request to the head of the response",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

const counters = new Map<string, Metric.Counter<number>>()

/** Returns the counter of a method and a status; there are few of both. */
const requests = (method: string, status: number) => {
  const key = `${method} ${status}`
  const found = counters.get(key)
  if (found !== undefined) return found
  const made = Metric.counter("http_requests_total", {
    description: "Answered requests",
    incremental: true,
    attributes: { method, status: String(status) }
  })
  counters.set(key, made)
  return made
}

/** Counts an answered request in the registry of `context`. */
export const answered = (context: Context.Context<never>, method: string, status: number, millis: number) => {
  requests(method, status).updateUnsafe(1, context)
  seconds.updateUnsafe(millis / 1000, context)
}

const same = (a: string, b: string) => timingSafeEqual(hash("sha256", a, "buffer"), hash("sha256", b, "buffer"))

const route = (token: string) =>
  HttpRouter.add(
    "GET",
    "/metrics",
    Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      if (!same(headers["authorization"] ?? "", `Bearer ${token}`))
        return HttpServerResponse.jsonUnsafe(
          { detail: "Send METRICS_TOKEN as a bearer token", code: "UNAUTHORIZED" },
          { status: 401, headers: { "www-authenticate": "Bearer" } }
        )
      const text = yield* PrometheusMetrics.format()
      return HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
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
