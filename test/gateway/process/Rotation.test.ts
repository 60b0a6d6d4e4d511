import { assert, layer } from "@effect/vitest"
import { type DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { once } from "node:events"
import { GatewayAccess } from "../../../src/gateway/GatewayAccess.ts"
import { GatewayProxies } from "../../../src/gateway/GatewayProxies.ts"
import type { GatewayProxy } from "../../../src/gateway/GatewayProxy.ts"
import * as GatewayRotations from "../../../src/gateway/GatewayRotations.ts"
import { GatewayRotationsRepo } from "../../../src/gateway/GatewayRotationsRepo.ts"
import * as GatewayShop from "../../support/GatewayShop.ts"
import { connectVia } from "../ProxyClient.ts"
import { eventually, open, Origins, runningGateway, via } from "../RunningGateway.ts"

const pool = ["127.0.0.41", "127.0.0.42", "127.0.0.43"]
const gateway = runningGateway({}, { "us-mobile": pool })
const services = Layer.provideMerge(Layer.mergeAll(GatewayAccess.layer, GatewayRotationsRepo.layer), gateway)

/** Opens a mobile proxy whose article rotates in its own way. */
const openRotating = (terms: Record<string, number | null>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const none = { rotate_minutes: null, session_minutes: null, session_minutes_most: null }
    yield* sql`UPDATE gateway_article SET ${sql.update({ ...none, ...terms })} WHERE id = ${GatewayShop.articleOf({ kind: "mobile" })}`
    return yield* open({ kind: "mobile" })
  })

/** The status, and the address that a destination sees. */
const seenBy = async (proxy: GatewayProxy, port: number, options = "", password?: string) => {
  const [login] = proxy.logins
  const username = `${login.username}${options}`
  const by = { ...via(proxy), login: { username, password: password ?? login.password } }
  const { socket, status } = await connectVia(by, `127.0.0.1:${port}`)
  if (status !== 200) return status
  return String((await once(socket, "data"))[0])
}

/** The minutes until the next change of the address, from the opening or another time. */
const minutesLeft = ({ created_at, rotate_at }: GatewayProxy, from: DateTime.Utc = created_at) =>
  rotate_at === null ? 0 : Math.round((rotate_at.epochMilliseconds - from.epochMilliseconds) / 60_000)

layer(services, { excludeTestServices: true })("A rotating proxy", (it) => {
  it.effect("with sessions has another address for each connection, and keeps the one of a session", () =>
    Effect.gen(function* () {
      const { peer } = yield* Origins
      const proxy = yield* openRotating({ session_minutes: 10, session_minutes_most: 60 })
      yield* eventually(async () => assert.include(pool, await seenBy(proxy, peer)))
      yield* Effect.promise(async () => {
        const each = [await seenBy(proxy, peer), await seenBy(proxy, peer), await seenBy(proxy, peer)]
        assert.sameMembers(each, pool)
        const kept = await seenBy(proxy, peer, "-session-one")
        for (const options of ["-session-one", "-session-one-ttl-30"])
          assert.strictEqual(await seenBy(proxy, peer, options), kept)
        assert.notStrictEqual(await seenBy(proxy, peer, "-session-two"), kept)
        assert.strictEqual(await seenBy(proxy, peer, "-session-one", "wrong"), 407)
        assert.strictEqual(await seenBy(proxy, peer, "-session-"), 407)
      })
      assert.isNull(yield* GatewayProxies.use(({ currentIp }) => currentIp(proxy)))
    })
  )

  it.effect("without them keeps its address, and knows no options", () =>
    Effect.gen(function* () {
      const { peer } = yield* Origins
      const proxy = yield* openRotating({})
      yield* eventually(async () => assert.strictEqual(await seenBy(proxy, peer), proxy.exit_ip))
      const next = yield* Effect.promise(async () => [
        await seenBy(proxy, peer),
        await seenBy(proxy, peer, "-session-a")
      ])
      assert.deepStrictEqual(next, [proxy.exit_ip, 407])
    })
  )

  it.effect("with an interval changes its address when it has passed, once, and a reset begins it again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const proxies = yield* GatewayProxies
      const proxy = yield* openRotating({ rotate_minutes: 30 })
      assert.strictEqual(minutesLeft(proxy), 30)
      yield* GatewayRotations.run
      assert.strictEqual((yield* proxies.get(proxy.id)).rotations, 0)
      yield* sql`UPDATE gateway_proxy SET rotate_at = created_at WHERE id = ${proxy.id}`
      yield* GatewayRotations.run
      yield* GatewayRotations.run
      const rotated = yield* proxies.get(proxy.id)
      assert.strictEqual(rotated.rotations, 1)
      assert.notStrictEqual(rotated.exit_ip, proxy.exit_ip)
      assert.strictEqual(minutesLeft(rotated, rotated.updated_at), 30)
      yield* sql`UPDATE gateway_proxy SET rotate_at = created_at WHERE id = ${proxy.id}`
      yield* proxies.rotate(proxy.id)
      yield* GatewayRotations.run
      assert.strictEqual((yield* proxies.get(proxy.id)).rotations, 2)
    })
  )
})
