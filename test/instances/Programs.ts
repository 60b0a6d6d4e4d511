import { Effect } from "effect"
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "../support/FreePort.ts"
import { eventually } from "../support/RunningService.ts"

/** True when a program, which npm does not install, is on this machine. */
export const isInstalled = (program: string): boolean => {
  try {
    execFileSync("which", [program], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const accepts = (port: number) =>
  Effect.callback<void, Error>((resume) => {
    const socket = connect(port, "127.0.0.1")
    socket.on("connect", () => resume(Effect.void))
    socket.on("error", (error) => resume(Effect.fail(error)))
    socket.on("close", () => socket.destroy())
    socket.on("connect", () => socket.end())
  })

/** Runs a program in its own directory until the scope closes; waits until it accepts connections at `port`. */
const running = Effect.fnUntraced(function* (
  program: string,
  port: number,
  command: (directory: string) => { readonly args: ReadonlyArray<string>; readonly env?: Record<string, string> }
) {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(tmpdir(), `${program}-`))),
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
  )
  const { args, env = {} } = command(directory)
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(program, args, {
        cwd: directory,
        stdio: "ignore",
        env: { PATH: process.env["PATH"], HOME: directory, ...env }
      })
      return { child, exited: new Promise<void>((resolve) => child.once("exit", () => resolve())) }
    }),
    ({ child, exited }) =>
      Effect.promise(async () => {
        child.kill("SIGKILL")
        await exited
      })
  )
  yield* eventually(`${program} accepts connections`, accepts(port))
})

/** Starts a Redis server; answers its address. */
export const redis = Effect.gen(function* () {
  const port = yield* freePort
  yield* running("redis-server", port, () => ({
    args: ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
  }))
  return `redis://127.0.0.1:${port}`
})

const caddyfile = fileURLToPath(new URL("../../deploy/Caddyfile", import.meta.url))

const hostOf = (url: string) => new URL(url).host

/** Starts the load balancer in front of two instances, as it is deployed; answers its address. */
export const loadBalancer = Effect.fnUntraced(function* (a: string, b: string) {
  const port = yield* freePort
  yield* running("caddy", port, () => ({
    args: ["run", "--config", caddyfile, "--adapter", "caddyfile"],
    env: { SITE: `http://127.0.0.1:${port}`, INSTANCE_A: hostOf(a), INSTANCE_B: hostOf(b) }
  }))
  return `http://127.0.0.1:${port}`
})
