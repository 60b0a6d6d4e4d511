import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { Addresses } from "../../../src/platform/settings/Addresses.ts"

const from = (settings: Record<string, string>) =>
  Effect.provide(Addresses, [Addresses.layer]).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(settings))
  )

describe("The service's addresses", () => {
  it.effect("follow from PUBLIC_URL, and each can be set alone", () =>
    Effect.gen(function* () {
      const defaults = yield* from({ PORT: "9090" })
      assert.deepStrictEqual(defaults, {
        issuer: "http://localhost:9090",
        mcp_url: "http://localhost:9090/mcp",
        base_url: "http://localhost:9090/v1",
        docs_url: "http://localhost:9090/docs",
        app_url: "http://localhost:9090/app"
      })
      const moved = yield* from({
        PUBLIC_URL: "https://api.example.com/",
        ISSUER_URL: "https://auth.example.com",
        MCP_URL: "https://tools.example.com/agents/",
        APP_URL: "https://app.example.com/"
      })
      assert.deepStrictEqual(moved, {
        issuer: "https://auth.example.com",
        mcp_url: "https://tools.example.com/agents",
        base_url: "https://api.example.com/v1",
        docs_url: "https://api.example.com/docs",
        app_url: "https://app.example.com"
      })
    })
  )

  it.effect.each([
    ["PUBLIC_URL", "https://example.com/proxies", "without a path"],
    ["ISSUER_URL", "https://example.com/auth", "without a path"],
    ["PUBLIC_URL", "ftp://example.com", "such as https://proxies.example.com"],
    ["APP_URL", "https://example.com/app?x=1", "without user, query and fragment"],
    ["APP_URL", "https://example.com/app#", "without user, query and fragment"],
    ["MCP_URL", "https://example.com/mcp#f", "without user, query and fragment"],
    ["MCP_URL", "https://me@example.com/mcp", "without user, query and fragment"]
  ] as const)("stop the start with %s=%s: %s", ([name, value, reason]) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(from({ [name]: value }))
      assert.include(message, name)
      assert.include(message, reason)
    })
  )
})
