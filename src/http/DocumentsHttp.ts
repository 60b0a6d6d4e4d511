import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { hash } from "node:crypto"
import { Api } from "../Api.ts"
import * as CachedResponse from "./CachedResponse.ts"

const script = /<script>([^]*?)<\/script>/g

/**
 * Allows only the page's own scripts, identified by their hashes, and calls to this host. Scalar sets inline styles.
 */
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

const scalar = HttpApiScalar.layer(Api, { path: "/docs", scalar: { withDefaultFonts: false } })

/**
 * The page contains its script and loads nothing from other hosts. The script takes 13 MiB of memory, so the first request
 * loads it.
 */
const page = HttpRouter.add("GET", "/docs", Effect.scoped(Effect.flatten(HttpRouter.toHttpEffect(scalar)))).pipe(
  Layer.provide(
    CachedResponse.middleware({ path: "/docs", contentType: "text/html; charset=utf-8", more: guarded }).layer
  )
)

const document = HttpRouter.add(
  "GET",
  "/openapi.json",
  Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(Api)))
).pipe(
  Layer.provide(
    CachedResponse.middleware({ path: "/openapi.json", contentType: "application/json", more: () => ({}) }).layer
  )
)

/** The API's OpenAPI document, and the page that shows it. */
export const layer = Layer.merge(page, document)
