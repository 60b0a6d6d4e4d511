import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Socket } from "node:net"
import { once } from "node:events"
import { Nodes } from "../../../src/gateway/nodes/Nodes.ts"
import { connectVia } from "../ProxyClient.ts"
import {
  add,
  directory,
  eventually,
  login,
  Place,
  sell,
  services,
  startCentre,
  startNode,
  until
} from "./NodeTesting.ts"

const stateOf = (name: string) => Nodes.use(({ find }) => Effect.map(find(name), ({ state }) => state))

const tunnel = (host: string, port: number, password = login.password) =>
  Effect.flatMap(Place, ({ echo }) =>
    eventually(async () => {
      const { socket, status } = await connectVia({ host, port, login: { ...login, password } }, `127.0.0.1:${echo}`)
      if (status !== 200) {
        socket.destroy()
        throw new Error(`Answered ${status}`)
      }
      return socket
    }, "5 millis")
  )

const echo = (socket: Socket, text: string) =>
  Effect.promise(async () => {
    socket.write(text)
    const [chunk] = (await once(socket, "data")) as [Buffer]
    return chunk.toString()
  })

const usedBytes = (id: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql<{ used: bigint; leased: bigint }>`
      SELECT used_bytes AS used, leased_bytes AS leased FROM gateway_proxy WHERE id = ${id}
    `
  ).pipe(Effect.map(([row]) => ({ used: Number(row?.used), leased: Number(row?.leased) })))

layer(services, { excludeTestServices: true, timeout: "2 minutes" })("Nodes", (it) => {
  it.effect("has no routes until a node is added", () =>
    Effect.gen(function* () {
      const { url } = yield* Place
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM gateway_enrolment`
      yield* startCentre
      const known = yield* sql`SELECT FROM gateway_node WHERE name <> 'local'`
      assert.strictEqual(known.length, 0)
      const answer = yield* Effect.promise(() =>
        fetch(`${url}/node/v1/enrol`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ token: "x".repeat(43), name: "fra1", public_key: "x".repeat(43) })
        })
      )
      assert.strictEqual(answer.status, 404)
    })
  )

  it.effect("joins once, serves, applies a change at once, and keeps connections while the centre is away", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const centre = yield* startCentre
      const join = yield* add("fra1")
      const home = yield* directory
      const port = 41_001
      const id = yield* sell("fra1", { port, limit: 100_000_000 })
      const node = yield* startNode({ name: "fra1", directory: home, bind: "127.0.1.1", join })
      const socket = yield* tunnel("127.0.1.1", port)
      assert.strictEqual(yield* echo(socket, "hello"), "hello")
      yield* until(Effect.map(stateOf("fra1"), (state) => state === "ready"))

      // The key and the configuration stay on the host, readable only there.
      for (const file of ["node.key", "node.json", "lock"])
        assert.strictEqual(fs.statSync(path.join(home, "node-fra1", file)).mode & 0o077, 0, file)

      // The word works once.
      const other = yield* directory
      const second = yield* Effect.exit(startNode({ name: "fra1", directory: other, bind: "127.0.1.2", join }))
      assert.isTrue(Exit.isFailure(second))

      yield* sql`
        UPDATE gateway_proxy SET logins = ${JSON.stringify([{ ...login, password: "secret-2" }])}::text::jsonb,
          updated_at = now() WHERE id = ${id}
      `
      const next = yield* tunnel("127.0.1.1", port, "secret-2")

      // Without the centre, connections stay and new ones are admitted within the lease.
      yield* centre.stop
      assert.strictEqual(yield* echo(next, "alone"), "alone")
      const third = yield* tunnel("127.0.1.1", port, "secret-2")
      assert.strictEqual(yield* echo(third, "also alone"), "also alone")

      yield* startCentre
      assert.strictEqual(yield* echo(next, "together"), "together")
      const passed = 2 * ["hello", "alone", "also alone", "together"].join("").length
      yield* until(Effect.map(usedBytes(id), ({ used }) => used >= passed))
      yield* node.stop
      // A clean end returns the lease, and every byte counts once.
      yield* until(Effect.map(usedBytes(id), ({ leased, used }) => leased === 0 && used === passed))
    })
  )

  it.effect("starts again without the centre, and does not serve what has ended once it is back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const first = yield* startCentre
      const join = yield* add("ams1")
      const home = yield* directory
      const [kept, ended] = [41_011, 41_012]
      yield* sell("ams1", { port: kept })
      const id = yield* sell("ams1", { port: ended })
      const node = yield* startNode({ name: "ams1", directory: home, bind: "127.0.1.3", join })
      yield* tunnel("127.0.1.3", kept)
      yield* tunnel("127.0.1.3", ended)
      yield* node.stop
      yield* first.stop

      const again = yield* startNode({ name: "ams1", directory: home, bind: "127.0.1.3" })
      yield* tunnel("127.0.1.3", kept)
      yield* again.stop

      // The disk of the host is older than the end of this proxy.
      yield* sql`UPDATE gateway_proxy SET status = 'closed', updated_at = now() WHERE id = ${id}`
      yield* startCentre
      yield* startNode({ name: "ams1", directory: home, bind: "127.0.1.3" })
      yield* tunnel("127.0.1.3", kept)
      const refused = yield* Effect.exit(
        Effect.tryPromise(() => connectVia({ host: "127.0.1.3", port: ended, login }, "127.0.0.1:1"))
      )
      assert.isTrue(Exit.isFailure(refused))
    })
  )

  it.effect("ends the connection of a revoked node within a second", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* startCentre
      const join = yield* add("par1")
      const home = yield* directory
      const port = 41_021
      const id = yield* sell("par1", { port })
      yield* startNode({ name: "par1", directory: home, bind: "127.0.1.4", join })
      yield* tunnel("127.0.1.4", port)
      yield* until(Effect.map(stateOf("par1"), (state) => state === "ready"))
      yield* Nodes.use(({ revoke }) => revoke("par1"))
      yield* Effect.sleep("1 second")
      // It hears of no change any more.
      yield* sql`
        UPDATE gateway_proxy SET logins = ${JSON.stringify([{ ...login, password: "secret-3" }])}::text::jsonb,
          updated_at = now() WHERE id = ${id}
      `
      yield* Effect.sleep("3 seconds")
      const { behind, has_key } = yield* Nodes.use(({ find }) => find("par1"))
      assert.deepStrictEqual({ behind, has_key }, { behind: 1, has_key: false })
      yield* tunnel("127.0.1.4", port)
    })
  )

  it.effect("ends the connection of a host when another host has joined in its place", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* startCentre
      const join = yield* add("osl1")
      yield* startNode({ name: "osl1", directory: yield* directory, bind: "127.0.1.9", join })
      yield* until(Effect.map(stateOf("osl1"), (state) => state === "ready"))
      // The other host has not connected yet.
      yield* sql`UPDATE gateway_node SET public_key = ${new Uint8Array(32).fill(9)} WHERE name = 'osl1'`
      yield* Effect.sleep("1 second")
      yield* sell("osl1", { port: 41_061 })
      yield* Effect.sleep("3 seconds")
      const { behind, has_key } = yield* Nodes.use(({ find }) => find("osl1"))
      assert.deepStrictEqual({ behind, has_key }, { behind: 1, has_key: true })
    })
  )

  it.effect("books what a killed process had passed by its journal, and nothing twice", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* startCentre
      yield* add("lon1")
      const id = yield* sell("lon1", { port: 41_031, limit: 100_000_000 })
      const epoch = randomUUID()
      yield* sql`
        INSERT INTO gateway_instance (id, report, node_id, boot_id)
        SELECT ${epoch}::uuid, 3, id, 'boot-1' FROM gateway_node WHERE name = 'lon1'
      `
      yield* sql`
        WITH lease AS (
          INSERT INTO gateway_lease (proxy_id, instance_id, leased_bytes, reported_bytes)
          VALUES (${id}, ${epoch}, 5000000, 1000000)
        ) UPDATE gateway_proxy SET leased_bytes = 5000000, used_bytes = 1000000 WHERE id = ${id}
      `
      const { TrafficRepo } = yield* Effect.promise(() => import("../../../src/gateway/control/TrafficRepo.ts"))
      const repo = yield* TrafficRepo.make
      const node = yield* Nodes.use(({ find }) => find("lon1"))
      const slots = [{ proxy_id: id, cycle: 1, total: 3_000_000 }]
      const run = { program: "1", boot_id: "boot-1", epoch: null, ended: [{ epoch, slots }] }
      yield* repo.endFormer(node.id, run)
      yield* repo.endFormer(node.id, run)
      assert.deepStrictEqual(yield* usedBytes(id), { used: 3_000_000, leased: 0 })
    })
  )

  it.effect("moves a node only as its states allow", () =>
    Effect.gen(function* () {
      const nodes = yield* Nodes
      yield* add("mad1")
      assert.strictEqual((yield* nodes.drain("mad1", "disk")).state, "draining")
      assert.strictEqual((yield* nodes.undrain("mad1")).state, "ready")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(nodes.retire("mad1"))))
      assert.strictEqual((yield* nodes.lose("mad1", null)).state, "lost")
      yield* sell("mad1", { port: 41_041 })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(nodes.retire("mad1"))))
      yield* SqlClient.SqlClient.use(
        (sql) => sql`
          UPDATE gateway_proxy SET status = 'closed', updated_at = now()
          WHERE node_id = (SELECT id FROM gateway_node WHERE name = 'mad1')
        `
      )
      assert.strictEqual((yield* nodes.retire("mad1")).state, "retired")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(nodes.drain("mad1", null))))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(nodes.revoke("local"))))
    })
  )

  it.effect("counts the changes of remote nodes without gaps, and none of the local node", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* add("vie1")
      yield* add("vie2")
      const id = yield* sell("vie1", { port: 41_051 })
      yield* sell("vie1", { port: 41_052 })
      // The same port on another node is another port.
      yield* sell("vie2", { port: 41_051 })
      const local = yield* sell("local", { port: 41_051 })
      const taken = yield* Effect.exit(sell("vie1", { port: 41_051 }))
      assert.isTrue(Exit.isFailure(taken))
      yield* sql`
        UPDATE gateway_proxy SET node_id = (SELECT id FROM gateway_node WHERE name = 'vie2'), port = 41053, updated_at = now()
        WHERE id = ${id}
      `
      const versions = yield* sql<{ name: string; version: bigint }>`
        SELECT name, version FROM gateway_node WHERE name IN ('local', 'vie1', 'vie2') ORDER BY name
      `
      assert.deepStrictEqual(
        versions.map(({ name, version }) => [name, Number(version)]),
        [
          ["local", 0],
          ["vie1", 3],
          ["vie2", 2]
        ]
      )
      const departures = yield* sql`SELECT proxy_id FROM gateway_departure`
      assert.deepStrictEqual(departures, [{ proxy_id: id }])
      const [own] = yield* sql<{ version: bigint | null }>`SELECT version FROM gateway_proxy WHERE id = ${local}`
      assert.isNull(own?.version)
    })
  )
})
