import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connect, createServer } from "node:net"
import { inject } from "vitest"
import { socketFile } from "../../src/platform/postgres/PostgresServer.ts"
import * as RunningService from "../support/RunningService.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

/** A proxy of the test database that closes these connections, counted from 1, and forwards the others. */
const wayThatCloses = (closed: ReadonlySet<number>) =>
  Effect.gen(function* () {
    let opened = 0
    const server = createServer((client) => {
      opened += 1
      if (closed.has(opened)) return void client.destroy()
      const upstream = connect(socketFile(inject("postgres").host))
      for (const socket of [client, upstream]) socket.on("error", () => undefined)
      client.on("close", () => upstream.destroy())
      upstream.on("close", () => client.destroy())
      client.pipe(upstream).pipe(client)
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.sync(() => server.close())
    )
    const address = server.address()
    return { port: typeof address === "object" ? (address?.port ?? 0) : 0, opened: () => opened }
  })

layer(TestDatabase.layer, { excludeTestServices: true })("A start", (it) => {
  it.effect("tries again when the database drops connections of its pool", () =>
    Effect.gen(function* () {
      const way = yield* wayThatCloses(new Set([1, 3, 4, 6]))
      const url = new URL((yield* TestDatabase.url).replace("postgres:///", "postgres://localhost/"))
      const database = `postgres://${inject("postgres").username}@127.0.0.1:${way.port}${url.pathname}`
      const service = yield* RunningService.makeWith({ args: ["--no-gateway"], env: { DATABASE_URL: database } })
      const { child } = yield* service.start
      assert.isNull(child.exitCode, service.output())
      assert.isAbove(way.opened(), 6)
      assert.include(service.output(), "trying again for a minute")
    })
  )
})
