import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { once } from "node:events"
import type { Socket } from "node:net"
import { DestinationRules } from "../../../src/gateway/DestinationRules.ts"
import { GatewayProxies } from "../../../src/gateway/GatewayProxies.ts"
import type { GatewayProxy } from "../../../src/gateway/GatewayProxy.ts"
import type { OwnRule } from "../../../src/gateway/OwnRule.ts"
import { connectVia, drained, socksVia } from "../ProxyClient.ts"
import { eventually, open, Origins, runningGateway, tunnelTo, via } from "../RunningGateway.ts"

const rule = (changes: Partial<OwnRule>): OwnRule => ({
  action: "deny",
  first_port: null,
  last_port: null,
  network: null,
  host_suffix: null,
  ...changes
})
const port = (first_port: number, action: OwnRule["action"] = "deny") =>
  rule({ action, first_port, last_port: first_port })

const set = (proxy: GatewayProxy, ...rules: ReadonlyArray<OwnRule>) =>
  GatewayProxies.use(({ setDestinations }) => setDestinations(proxy.id, rules))

const answerOf = (proxy: GatewayProxy, port: number) =>
  Effect.promise(async () => {
    const { headers, socket, status } = await connectVia(via(proxy), `127.0.0.1:${port}`)
    socket.destroy()
    return { status, why: String(headers["x-proxy-error"]) }
  })

const statusBecomes = (proxy: GatewayProxy, port: number, expected: number) =>
  eventually(async () => assert.strictEqual((await Effect.runPromise(answerOf(proxy, port))).status, expected))

const endsSoon = (socket: Socket) => Effect.promise(() => drained(socket)).pipe(Effect.timeout("1 second"))

const talks = (socket: Socket) =>
  Effect.promise(async () => {
    socket.write("x")
    assert.strictEqual(String((await once(socket, "data"))[0]), "x")
  })

layer(Layer.provideMerge(DestinationRules.layer, runningGateway()), { excludeTestServices: true })(
  "An owner's rules about destinations",
  (it) => {
    it.effect("end the open connections that they forbid within a second, and no others", () =>
      Effect.gen(function* () {
        const { echo, flood, web } = yield* Origins
        const proxy = yield* open()
        const another = yield* open({ kind: "residential" })
        const flooding = yield* tunnelTo(proxy, flood)
        const allowed = yield* tunnelTo(proxy, echo)
        const ofAnother = yield* tunnelTo(another, echo)
        yield* Effect.all([endsSoon(flooding), set(proxy, port(flood))], { concurrency: 2 })
        yield* talks(allowed)
        const { status, why } = yield* answerOf(proxy, flood)
        assert.deepStrictEqual([status, /rules of this proxy's owner/.test(why)], [403, true])
        assert.strictEqual((yield* answerOf(another, flood)).status, 200)
        // With an `allow`, everything else is closed; a `deny` wins.
        yield* Effect.all(
          [endsSoon(allowed), set(proxy, port(web, "allow"), { ...port(flood), network: "127.0.0.1/32" })],
          {
            concurrency: 2
          }
        )
        assert.strictEqual((yield* answerOf(proxy, web)).status, 200)
        assert.strictEqual((yield* answerOf(proxy, echo)).status, 403)
        assert.strictEqual((yield* answerOf(proxy, flood)).status, 403)
        yield* talks(ofAnother)
        yield* set(proxy)
        yield* statusBecomes(proxy, flood, 200)
      })
    )

    it.effect("of hosts see the name that the client sends, at SOCKS5 too", () =>
      Effect.gen(function* () {
        const { echo } = yield* Origins
        const proxy = yield* open({ protocol: "SOCKS5", kind: "mobile" })
        const codeOf = async (host: string) => {
          const answer = await socksVia(via(proxy), host, echo)
          return answer._tag === "Reply" ? answer.code : answer._tag
        }
        yield* eventually(async () => assert.strictEqual(await codeOf("localhost"), 0))
        yield* set(proxy, rule({ action: "allow", host_suffix: "localhost" }))
        yield* eventually(async () => assert.strictEqual(await codeOf("127.0.0.1"), 2))
        assert.strictEqual(yield* Effect.promise(() => codeOf("sub.LOCALHOST")), 0)
      })
    )

    it.effect("never open what the operator has closed", () =>
      Effect.gen(function* () {
        const { echo, web } = yield* Origins
        const rules = yield* DestinationRules
        const proxy = yield* open({ kind: "mobile" })
        yield* set(proxy, port(echo, "allow"))
        yield* statusBecomes(proxy, web, 403)
        yield* rules.place({
          ...port(echo),
          scope: "platform",
          scope_id: null,
          until_at: null,
          reason: "a test",
          placed_by: "cli:test"
        })
        yield* statusBecomes(proxy, echo, 403)
        assert.match((yield* answerOf(proxy, echo)).why, /operator of this gateway/)
      })
    )

    it.effect("are bounded, by the service and by the database", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const proxy = yield* open({ kind: "mobile" })
        const many = Array.from({ length: 51 }, (_, index) => port(index + 1))
        const refused = yield* Effect.result(set(proxy, ...many))
        assert.isTrue(Result.isFailure(refused) && /at most 50/.test(refused.failure.detail))
        const changed = yield* set(proxy, ...many.slice(1))
        assert.lengthOf(changed.destinations, 50)
        assert.strictEqual(changed.revision, proxy.revision + 1)
        const direct = sql`UPDATE gateway_proxy SET destinations = destinations || '[{}]' WHERE id = ${proxy.id}`
        assert.match(String((yield* Effect.flip(direct)).reason.cause), /gateway_proxy_destinations/)
      })
    )
  }
)
