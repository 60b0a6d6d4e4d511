import { Deferred, Effect, Schema } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { createConnection } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { freePort } from "../../test/support/FreePort.ts"
import { start } from "../ChildProgram.ts"

const Listening = Schema.Struct({ port: Schema.Finite, socks: Schema.optionalKey(Schema.Finite) })

/** A program that leads to the destination. */
export interface Side {
  readonly name: string
  readonly pid: number
  readonly port: number
  /** The port of its SOCKS5 proxy. */
  readonly socks?: number | undefined
  /** Collects garbage, so that the memory that is left is in use. */
  readonly collect: Effect.Effect<void>
}

const program = Effect.fnUntraced(function* (name: string, file: URL, env: Readonly<Record<string, string>> = {}) {
  const listening = Deferred.makeUnsafe<typeof Listening.Type>()
  let collected = Deferred.makeUnsafe<void>()
  const child = yield* start(file, env, (message) => {
    if (message === "collected") Deferred.doneUnsafe(collected, Effect.void)
    else Deferred.doneUnsafe(listening, Effect.succeed(Schema.decodeUnknownSync(Listening)(message)))
  })
  const collect = Effect.suspend(() => {
    collected = Deferred.makeUnsafe<void>()
    child.send("collect")
    return Deferred.await(collected)
  })
  return { ...(yield* Deferred.await(listening)), name, pid: child.pid ?? 0, collect } satisfies Side
})

const answers = async (port: number): Promise<void> => {
  for (;;) {
    const socket = createConnection(port, "127.0.0.1")
    try {
      return void (await once(socket, "connect"))
    } catch {
      await new Promise((settle) => setTimeout(settle, 20))
    } finally {
      socket.destroy()
    }
  }
}

const tinyproxy = "tinyproxy"

/** A gateway in C, when it is installed. It asks for no password and writes no log. */
const inC = Effect.gen(function* () {
  if (spawnSync(tinyproxy, ["-v"]).error !== undefined) return []
  const port = yield* freePort
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "gateway-bench-"))),
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
  )
  const file = path.join(directory, "tinyproxy.conf")
  fs.writeFileSync(
    file,
    `Port ${port}\nListen 127.0.0.1\nAllow 127.0.0.1\nTimeout 600\nMaxClients 4000\nLogLevel Critical\n`
  )
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(tinyproxy, ["-d", "-c", file], { stdio: "ignore" }).on("error", () => {})),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  yield* Effect.promise(() => answers(port))
  return [{ name: tinyproxy, pid: child.pid ?? 0, port, collect: Effect.void }] satisfies ReadonlyArray<Side>
})

/** Starts the destination and what leads to it: the pipe, the gateway, and a gateway in C when there is one. */
export const open = Effect.gen(function* () {
  const destination = yield* program("destination", new URL("./Destination.ts", import.meta.url))
  const env = { DESTINATION: `${destination.port}` }
  const pipe = yield* program("pipe", new URL("./Pipe.ts", import.meta.url), env)
  const gateway = yield* program("gateway", new URL("./Gateway.ts", import.meta.url), env)
  return { destination: destination.port, pipe, gateway, others: yield* inC }
})
