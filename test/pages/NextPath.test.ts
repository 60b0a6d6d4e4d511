import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Schema } from "effect"
import * as NextPath from "../../src/pages/NextPath.ts"
import { Addresses } from "../../src/platform/settings/Addresses.ts"

const nextAt = (APP_URL: string) =>
  NextPath.make.pipe(
    Effect.provide(Layer.provide(Addresses.layer, ConfigProvider.layer(ConfigProvider.fromEnvRecord({ APP_URL }))))
  )

const elsewhere = [
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "/\\/evil.example",
  "\\\\evil.example",
  "/app/\\evil.example",
  "/\t/evil.example",
  "/app\r\nset-cookie: a=b",
  "/\u0000/evil.example",
  "https://evil.example/app",
  "https:evil.example",
  "https:",
  "http://app.example/app/keys",
  "javascript:alert(1)",
  "data:text/html,x",
  "app/keys",
  "?a=b",
  "",
  " /app",
  "/app/..//evil.example",
  "/app/../../..//evil.example",
  "/app/%2e%2e//evil.example",
  "/docs",
  "/docs/guides/../..//evil.example",
  "/docs/guidesx",
  "/application",
  "/app/../v1/users/me",
  `/app/${"a".repeat(2_000)}`
]

it.effect("a person goes on to a page of this host, and from every other text to the first page", () =>
  Effect.gen(function* () {
    const next = yield* nextAt("https://app.example/app")
    for (const path of [
      "/app",
      "/app/",
      "/app/keys",
      "/app/keys?offset=25&a=%2F%2Fevil.example",
      "/app?x=//evil.example",
      "/docs/guides",
      "/docs/guides/api"
    ])
      assert.strictEqual(next(path), path)
    assert.strictEqual(next("/app/keys#new"), "/app/keys")
    for (const path of [...elsewhere, undefined, null]) assert.strictEqual(next(path), "/app", String(path))
  })
)

it.effect("the pages may have a host of their own", () =>
  Effect.gen(function* () {
    const next = yield* nextAt("https://app.example")
    assert.strictEqual(next("/keys?offset=25"), "/keys?offset=25")
    for (const path of [
      "//evil.example",
      "/\\evil.example",
      "/..//evil.example",
      "https:",
      "https://evil.example",
      undefined
    ])
      assert.strictEqual(next(path), "/", path)
  })
)

it.effect.prop("no text leads to another host", [Schema.String], ([text]) =>
  Effect.gen(function* () {
    const next = yield* nextAt("https://app.example")
    for (const path of [text, `/${text}`, `//${text}`, `/\\${text}`, `/../${text}`])
      assert.strictEqual(new URL(next(path), "https://app.example/sign-in").origin, "https://app.example", path)
  })
)
