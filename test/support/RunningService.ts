import { Effect, Schedule } from "effect"
import { execFile, spawn } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "./FreePort.ts"

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

/** The pids of all descendants of a process. */
const pidsBelow = (pid: number): ReadonlyArray<number> => {
  const children = fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return fs.readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]?.split(" ")[1] === String(pid)
      } catch {
        return false
      }
    })
    .map(Number)
  return children.flatMap((child) => [child, ...pidsBelow(child)])
}

const isRunning = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

const commandOf = (pid: number) => {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
  } catch {
    return ""
  }
}

/** Repeats an effect until it succeeds, and dies after a limit that is generous on a slow machine. */
const eventually = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.retry(Schedule.spaced("50 millis")),
    Effect.timeoutOrElse({
      duration: "4 minutes",
      orElse: () => Effect.die(new Error(`Not within 4 minutes: ${what}`))
    })
  )

interface Options {
  /** Arguments of the command. */
  readonly args?: ReadonlyArray<string>
  /** The name of this machine in the address of the service. */
  readonly host?: "127.0.0.1" | "localhost"
  readonly env?: Readonly<Record<string, string>>
}

/** The service as a user runs it: the real program, its embedded database and its gateway, in its own directory. */
export const makeWith = Effect.fnUntraced(function* ({ args = [], env = {}, host = "127.0.0.1" }: Options) {
  const port = yield* freePort
  const firstPort = 30_000 + Math.floor(Math.random() * 20_000)
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const directory = fs.mkdtempSync(path.join(tmpdir(), "journey-"))
      fs.chmodSync(directory, 0o755)
      return directory
    }),
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
  )
  const url = `http://${host}:${port}`
  let output = ""

  const ready = eventually(
    "the service is ready",
    Effect.tryPromise(async () => {
      const response = await fetch(`${url}/health/ready`)
      if (!response.ok) throw new Error(await response.text())
    })
  ).pipe(Effect.tapCause(() => Effect.logError(output)))

  const start = Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [main, "serve", ...args], {
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          PATH: process.env["PATH"],
          DATA_DIR: directory,
          PORT: String(port),
          GATEWAY_PORTS: `${firstPort}-${firstPort + 19}`,
          PUBLIC_URL: url,
          LOG_FORMAT: "json",
          // Real lists would be downloaded from the internet.
          BLOCKLISTS: "none",
          ...env
        }
      })
      child.stdout.on("data", (chunk) => (output += chunk))
      child.stderr.on("data", (chunk) => (output += chunk))
      const exited = new Promise<number | null>((resolve) => child.once("exit", resolve))
      return { child, pid: child.pid ?? 0, exited }
    }),
    ({ child, exited }) =>
      Effect.promise(async () => {
        child.kill("SIGKILL")
        await exited
      })
  ).pipe(Effect.tap(() => ready))

  return {
    url,
    directory,
    start,
    /** Everything the processes printed. */
    output: () => output,
    gatewayPid: (pid: number) => pidsBelow(pid).find((child) => commandOf(child).includes("main.ts gateway")) ?? 0
  }
})

export const make = makeWith({})

/** A start that fails: its exit code, and what it printed as its error. */
export const failing = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.callback<{ code: unknown; stderr: string }>((resume) => {
    execFile(
      process.execPath,
      [main, "serve", ...args],
      { env: { PATH: process.env["PATH"], ...env } },
      (error, _stdout, stderr) => resume(Effect.succeed({ code: error?.code, stderr }))
    )
  })

export { eventually, isRunning, pidsBelow }

/** Runs `curl` once; answers its exit code and its output. */
export const curl = (...args: ReadonlyArray<string>) =>
  Effect.callback<{ code: number; stdout: string }>((resume) => {
    execFile("curl", ["-s", "-S", "--max-time", "60", ...args], (error, stdout) =>
      resume(Effect.succeed({ code: typeof error?.code === "number" ? error.code : 0, stdout }))
    )
  })
