import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Exit, Fiber, Layer, Schedule } from "effect"
import * as Http from "node:http"
import * as Https from "node:https"
import { TestClock } from "effect/testing"
import { HttpClientRequest } from "effect/http"
import * as OutboundAgent from "../../../src/platform/outbound/OutboundAgent.ts"
import { OutboundHttp, type OutboundOptions, reasonOf } from "../../../src/platform/outbound/OutboundHttp.ts"
import { rawReceiver } from "./RawReceiver.ts"

const publicAddress = "93.184.215.14"

const answering = (names: Record<string, ReadonlyArray<string>>) => async (name: string) => names[name] ?? []

const built = <E>(layer: Layer.Layer<OutboundHttp, E>) => Effect.map(Layer.build(layer), Context.get(OutboundHttp))

const outbound = (options: Partial<OutboundOptions> = {}) =>
  built(OutboundHttp.layerWith({ allow: new Set(), ...options }))

/** The requirement that a URL does not meet; undefined when it meets all. */
const verdict = (url: string, options?: Partial<OutboundOptions>) =>
  outbound(options).pipe(
    Effect.flatMap(({ check }) => check(url)),
    Effect.match({ onSuccess: () => undefined, onFailure: ({ reason }) => reason })
  )

/** The outcome of a request, in the words of the log. */
const outcome = ({ client }: Pick<OutboundHttp["Service"], "client">, url: string) =>
  client
    .execute(HttpClientRequest.post(url))
    .pipe(Effect.match({ onSuccess: ({ status }) => String(status), onFailure: reasonOf }))

const ok = rawReceiver((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))

const privateHosts = `
  127.0.0.1 127.1 127.0.0.1. 2130706433 0x7f000001 0x7f.1 017700000001 0177.0.0.01 127。0。0。1 １２７.0.0.1
  ①②⑦.0.0.1 %31%32%37.0.0.1 0.0.0.0 0 127.255.255.254 10.0.0.1 172.16.0.1 192.168.1.1 100.64.0.1
  169.254.169.254 168.63.129.16 224.0.0.1 255.255.255.255 192.0.2.1 198.18.0.1 [::] [::1] [0:0:0:0:0:0:0:1]
  [fc00::1] [fd00::1] [fe80::1] [ff02::1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:169.254.169.254]
  [::127.0.0.1] [::ffff:0:127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::]
  [fec0::1] [4000::1] localhost LOCALHOST a.localhost`
  .trim()
  .split(/\s+/)

describe("The check of a URL", () => {
  it.effect.each(privateHosts)("refuses %s as not public", (host) =>
    Effect.gen(function* () {
      const resolve = answering({ localhost: ["127.0.0.1"], "a.localhost": ["127.0.0.1"] })
      assert.match((yield* verdict(`https://${host}/hook`, { resolve })) ?? "fine", /^must lead to a public address: /)
      assert.strictEqual(yield* verdict(`http://${host}/hook`, { resolve }), "must be an https URL")
    })
  )

  it.effect.each([
    `https://${publicAddress}/`,
    "https://[2606:4700:4700::1111]:8443/",
    "https://public.test/",
    "https://both.test"
  ])("accepts %s", (url) =>
    Effect.gen(function* () {
      const resolve = answering({
        "public.test": [publicAddress],
        "both.test": [publicAddress, "2606:4700:4700::1111"]
      })
      assert.isUndefined(yield* verdict(url, { resolve }))
    })
  )

  it.effect("refuses a name when one of its addresses is not public", () =>
    Effect.gen(function* () {
      for (const inward of ["10.0.0.1", "::1", "::ffff:10.0.0.1", "not an address"]) {
        const resolve = answering({ "mixed.test": [publicAddress, "2606:4700:4700::1111", inward] })
        assert.strictEqual(
          yield* verdict("https://mixed.test", { resolve }),
          "must lead to a public address: mixed.test does not resolve to one"
        )
      }
    })
  )

  it.effect("tells the URL's owner what the URL must be", () =>
    Effect.gen(function* () {
      const resolve = answering({ "public.test": [publicAddress] })
      assert.strictEqual(yield* verdict("http://public.test", { resolve }), "must be an https URL")
      assert.strictEqual(yield* verdict("ftp://public.test", { resolve }), "must be an https URL")
      assert.strictEqual(yield* verdict("https://public.test:25", { resolve }), "must not use port 25")
      assert.strictEqual(
        yield* verdict("https://a@public.test", { resolve }),
        "must not contain a username or password"
      )
      assert.strictEqual(
        yield* verdict("https://unknown.test", { resolve }),
        "must lead to a public address: unknown.test does not resolve to one"
      )
      assert.strictEqual(yield* verdict("https://10.0.0.1"), "must lead to a public address: 10.0.0.1 is not one")
    })
  )

  it.effect("waits at most 5 seconds for a name", () =>
    Effect.gen(function* () {
      const checking = yield* Effect.forkChild(verdict("https://slow.test", { resolve: () => new Promise(() => {}) }))
      yield* TestClock.adjust("5 seconds")
      assert.match((yield* Fiber.join(checking)) ?? "fine", /does not resolve to one$/)
    })
  )

  it.effect("gives an unknown name and an internal name the same text", () =>
    Effect.gen(function* () {
      const reasons = yield* Effect.forEach([["10.0.0.1"], []], (addresses) =>
        verdict("https://db.internal.test", { resolve: async () => addresses })
      )
      assert.strictEqual(reasons[0], reasons[1])
    })
  )

  it.effect("refuses a name with more than 32 addresses", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 33 }, (_, index) => `93.184.215.${index}`)
      assert.isUndefined(yield* verdict("https://many.test", { resolve: async () => many.slice(1) }))
      assert.strictEqual(
        yield* verdict("https://many.test", { resolve: async () => many }),
        "must lead to at most 32 addresses"
      )
    })
  )

  it.live("refuses the machine's own public addresses unless they are allowed", () =>
    Effect.gen(function* () {
      const own = [publicAddress, "2606:4700:4700::1111"]
      const resolve = answering({ "gateway.test": own, "alias.test": [publicAddress] })
      const urls = ["https://alias.test/", `https://${publicAddress}/`, `https://[::ffff:${publicAddress}]/`]
      for (const host of [publicAddress, "gateway.test"]) {
        const { check, client } = yield* outbound({ host, resolve })
        // The start does not wait for DNS.
        yield* Effect.repeat(Effect.exit(check("https://alias.test/")), {
          until: Exit.isFailure,
          schedule: Schedule.spaced("5 millis")
        })
        for (const url of urls) {
          assert.match((yield* Effect.flip(check(url))).reason, /^must lead to a public address: /, url)
          assert.match(yield* outcome({ client }, url), /^The URL must lead to a public address: /, url)
        }
        yield* check("https://93.184.215.15/")
      }
      const allow = new Set([`${publicAddress}:443`])
      for (const url of urls) assert.isUndefined(yield* verdict(url, { host: "gateway.test", resolve, allow }))
    })
  )

  it.live("treats the address in GATEWAY_HOST as the machine's own", () =>
    Effect.gen(function* () {
      const { check } = yield* built(OutboundHttp.layer).pipe(
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ GATEWAY_HOST: publicAddress })))
      )
      assert.match((yield* Effect.flip(check(`https://${publicAddress}/`))).reason, /^must lead to a public address: /)
    })
  )
})

describe("A request", () => {
  it.live("connects to no private address in any spelling", () =>
    Effect.gen(function* () {
      const receiver = yield* ok
      const http = yield* outbound({ resolve: async () => ["127.0.0.1", "::1"] })
      for (const host of privateHosts) {
        const refused = yield* outcome(http, `https://${host}:${receiver.port}/`)
        assert.match(refused, /^The URL must lead to a public address: /, host)
        assert.strictEqual(yield* outcome(http, `http://${host}:${receiver.port}/`), "The URL must be an https URL")
      }
      assert.strictEqual(receiver.connections(), 0)
    })
  )

  it.live("connects to no name with one private address, even when the address appears after the check", () =>
    Effect.gen(function* () {
      const receiver = yield* ok
      const answers = [[publicAddress], ["127.0.0.1"], [publicAddress, "::1"], ["127.0.0.1", publicAddress], []]
      const http = yield* outbound({ resolve: async () => answers.shift() ?? [] })
      const url = `https://rebinding.test:${receiver.port}/`
      yield* http.check(url)
      for (const _ of [1, 2, 3]) {
        const refused = "The URL must lead to a public address: rebinding.test does not resolve to one"
        assert.strictEqual(yield* outcome(http, url), refused)
      }
      assert.match(yield* outcome(http, url), /does not resolve to one$/)
      assert.strictEqual(receiver.connections(), 0)
    })
  )

  it.live("is refused for the spelling of its URL without a check before it", () =>
    Effect.gen(function* () {
      const receiver = yield* ok
      const http = yield* outbound({ allow: { has: () => true }, resolve: async () => ["127.0.0.1"] })
      for (const [url, reason] of [
        [`http://user@a.test:${receiver.port}/`, "must not contain a username or password"],
        [`http:a.test:${receiver.port}/`, "must be an https URL"],
        [`http://a.test.:${receiver.port}/`, "must not end its host with a dot"]
      ] as const) {
        assert.strictEqual(yield* outcome(http, url), `The URL ${reason}`)
      }
      assert.strictEqual(receiver.connections(), 0)
    })
  )

  it.live("remembers no refused address", () =>
    Effect.gen(function* () {
      const { http, https } = yield* OutboundAgent.make({
        resolve: async () => [],
        refusal: () => new Error("refused")
      })
      for (const ask of [
        () => Http.get("http://10.0.0.1", { agent: http }),
        () => Https.get("https://10.0.0.1", { agent: https })
      ]) {
        const error = yield* Effect.promise(() => new Promise<Error>((done) => ask().once("error", done)))
        assert.strictEqual(error.message, "refused")
      }
      assert.deepStrictEqual([{ ...http.sockets }, { ...https.sockets }], [{}, {}])
    })
  )

  it.live("reaches exactly the allowed destinations, also over http and by name", () =>
    Effect.gen(function* () {
      const receiver = yield* ok
      const other = yield* ok
      const OUTBOUND_ALLOW = `127.0.0.1:${receiver.port}, [::1]:${receiver.port}`
      const http = yield* built(OutboundHttp.layer).pipe(
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ OUTBOUND_ALLOW })))
      )
      const spellings = ["127.0.0.1", "127.1", "[::ffff:127.0.0.1]", "[::1]", "localhost"]
      for (const host of spellings) {
        yield* http.check(`http://${host}:${receiver.port}/`)
        assert.strictEqual(yield* outcome(http, `http://${host}:${receiver.port}/`), "200")
      }
      assert.strictEqual(receiver.connections(), spellings.length)
      for (const url of [`http://127.0.0.1:${other.port}`, `http://127.0.0.2:${receiver.port}`]) {
        assert.strictEqual(yield* outcome(http, url), "The URL must be an https URL")
      }
      assert.strictEqual(other.connections(), 0)
    })
  )

  it.live("tries the next address of a name when the first does not answer", () =>
    Effect.gen(function* () {
      const receiver = yield* ok
      const allow = { has: (endpoint: string) => endpoint.endsWith(`:${receiver.port}`) }
      // The receiver listens on every address, but no route leads to the first one.
      const http = yield* outbound({ allow, resolve: async () => ["240.0.0.1", "127.0.0.1", "::1"] })
      assert.strictEqual(yield* outcome(http, `http://three.test:${receiver.port}`), "200")
      assert.strictEqual(receiver.connections(), 1)
    })
  )

  it.effect("is impossible with a malformed OUTBOUND_ALLOW, which stops the start", () =>
    Effect.gen(function* () {
      const error = yield* Layer.build(OutboundHttp.layer).pipe(
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ OUTBOUND_ALLOW: "localhost:80" }))),
        Effect.flip
      )
      assert.match(error.message, /OUTBOUND_ALLOW must be a comma list of ip:port/)
    })
  )
})
