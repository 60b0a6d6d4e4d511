import { assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { interfaceAddresses, makeIsOwn } from "../../../src/platform/outbound/OwnAddresses.ts"

const names: Record<string, ReadonlyArray<string>> = { "gateway.test": ["8.8.4.4", "2606:4700:0::9"] }

const isOwnWith = (host: string, addresses: ReadonlyArray<string> = []) =>
  makeIsOwn({ host, addresses: () => addresses, resolve: (name) => Promise.resolve(names[name] ?? []) })

describe("OwnAddresses", () => {
  it.live("knows the addresses of the interfaces, of the host and of the proxies' exits", () =>
    Effect.gen(function* () {
      const isOwn = yield* isOwnWith("2606:4700:0::1", ["9.9.9.9"])
      for (const ip of [...interfaceAddresses(), "2606:4700::1", "9.9.9.9"]) assert.isTrue(isOwn(ip), ip)
      assert.isTrue(isOwn("127.0.0.1"))
      assert.isFalse(isOwn("8.8.8.8"))
    })
  )

  it.live("resolves the name that customers connect to", () =>
    Effect.gen(function* () {
      const isOwn = yield* isOwnWith("gateway.test")
      // The start does not wait for DNS.
      yield* Effect.promise(() => vi.waitFor(() => assert.isTrue(isOwn("8.8.4.4")), { timeout: 60_000 }))
      assert.deepStrictEqual(["8.8.4.4", "2606:4700::9", "8.8.8.8"].map(isOwn), [true, true, false])
    })
  )
})
