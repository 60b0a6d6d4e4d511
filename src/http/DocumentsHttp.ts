import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { hash } from "node:crypto"
import { Api } from "../Api.ts"
import * as LastingAnswer from "./LastingAnswer.ts"

const script = /<script>([^]*?)<\/script>/g

/** Only the page's own scripts, known by their hashes, and calls of this host. Scalar sets styles of its own. */
const policyOf = (html: string) =>
  [
    "default-src 'none'",
    `script-src ${Array.from(html.matchAll(script), ([, text = ""]) => `'sha256-${hash("sha256", text, "base64")}'`).join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src data:",
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'"
  ].join("; ")

const guarded = (html: string) => ({
  "content-security-policy": policyOf(html),
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
})

/** The page brings its script along and loads nothing from elsewhere. */
const page = HttpApiScalar.layer(Api, { path: "/docs", scalar: { withDefaultFonts: false } }).pipe(
  Layer.provide(LastingAnswer.middleware("text/html; charset=utf-8", guarded).layer)
)

const document = HttpRouter.add(
  "GET",
  "/openapi.json",
  Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(Api)))
).pipe(Layer.provide(LastingAnswer.middleware("application/json", () => ({})).layer))

/** The API's OpenAPI document, and the page that shows it. */
export const layer = Layer.merge(page, document)
