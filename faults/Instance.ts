import { Effect, Latch, Schedule } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Clock from "./Clock.ts"

const preload = pathToFileURL(fileURLToPath(new URL("./FastClock.ts", import.meta.url))).href
/** The time for which a ready instance is left alone, so that it gets some work done. */
const graceMillis = 500

interface Program {
  /** The directory that has `src/main.ts`. */
  readonly root: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

interface Options extends Program {
  readonly name: string
  /** Succeeds when the process is ready; `said` is its output since the start. */
  readonly isReady: (said: Effect.Effect<string>) => Effect.Effect<void, unknown>
  readonly log: string
  readonly clock: () => Clock.Pace
}

/** Starts the product with this clock and appends its output to a file. */
export const launch = ({ args, env, root }: Program, clock: Clock.Pace, log: string) => {
  const output = fs.openSync(log, "a")
  try {
    return spawn(process.execPath, [path.join(root, "src", "main.ts"), ...args], {
      cwd: path.dirname(log),
      stdio: ["ignore", output, output],
      env: {
        PATH: process.env["PATH"],
        NODE_OPTIONS: `--import ${preload}`,
        FAULTS_CLOCK: Clock.encode(clock),
        ...env
      }
    })
  } finally {
    fs.closeSync(output)
  }
}

export const answers = (url: string) =>
  Effect.tryPromise(async () => {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
    await response.body?.cancel()
    if (!response.ok) throw new Error(String(response.status))
  })

const hasEnded = (child: ChildProcess | undefined) =>
  child === undefined || child.exitCode !== null || child.signalCode !== null

/** Ends a process and waits until it has gone and writes no more. */
export const kill = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (hasEnded(child)) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

/** A process ends with this line when no database answered its start for a minute of its clock: six real seconds. */
const databaseAway = /^The database cannot be used: .*no server answered within/m

const outputSince = (log: string, from: number) => fs.readFileSync(log).subarray(from).toString()

const untilUp = (isUp: () => boolean, name: string, log: string) =>
  Effect.suspend(() => (isUp() ? Effect.void : Effect.fail("not ready"))).pipe(
    Effect.retry(Schedule.spaced("20 millis")),
    Effect.timeoutOrElse({
      duration: "3 minutes",
      orElse: () => Effect.die(new Error(`${name} is not ready; see ${log}`))
    }),
    Effect.orDie
  )

/** A process of the product that is restarted whenever it ends. */
export interface Instance {
  readonly name: string
  /** True while the process serves. */
  readonly isUp: () => boolean
  /** The mean time of a start, in milliseconds. */
  readonly meanStart: () => number
  /** True when the process has served for long enough to be killed. */
  readonly isArmed: () => boolean
  readonly kill: () => void
  /** Ends the process as an operator does, and leaves it down until the harness lets it start again. */
  readonly hold: Effect.Effect<void>
  readonly letGo: Effect.Effect<boolean>
  /** Waits until the process serves. */
  readonly ready: Effect.Effect<void>
  readonly kills: () => number
  /** The ends of the process that the harness did not cause. */
  readonly crashes: () => ReadonlyArray<string>
}

/** Keeps a process of the product running until the scope closes. */
export const keep = Effect.fnUntraced(function* ({ args, clock, env, isReady, log, name, root }: Options) {
  let child: ChildProcess | undefined
  let readyAt: number | undefined
  /** The offset in the log where the output of the process begins. */
  let from = 0
  /** Open while the process may run. */
  const mayRun = Latch.makeUnsafe(true)
  let kills = 0
  let startedAt = 0
  let starts = 0
  let millisOfStarts = 0
  const crashes: Array<string> = []

  /** The process that the harness ends. */
  let ended: ChildProcess | undefined

  const isUp = () => readyAt !== undefined

  const end = (signal: "SIGKILL" | "SIGTERM") => {
    readyAt = undefined
    ended = child
    child?.kill(signal)
  }

  const run = Effect.callback<void>((resume) => {
    from = fs.existsSync(log) ? fs.statSync(log).size : 0
    const started = launch({ args, env, root }, clock(), log)
    startedAt = Date.now()
    child = started
    started.once("exit", (code, signal) => {
      const isExcused = readyAt === undefined && databaseAway.test(outputSince(log, from))
      if (ended !== started && !isExcused) crashes.push(`no process ends by itself: ${name}, with ${signal ?? code}`)
      resume(Effect.void)
    })
    return kill(started)
  })

  const waitUntilReady = Effect.gen(function* () {
    const output = from
    yield* isReady(Effect.sync(() => outputSince(log, output))).pipe(
      Effect.retry(Schedule.spaced("50 millis")),
      Effect.orDie
    )
    readyAt = Date.now()
    starts += 1
    millisOfStarts += readyAt - startedAt
  })

  const live = Effect.gen(function* () {
    yield* mayRun.await
    yield* Effect.raceFirst(run, Effect.andThen(waitUntilReady, Effect.never))
    readyAt = undefined
  })
  yield* Effect.forkScoped(Effect.forever(live))

  const instance: Instance = {
    name,
    isUp,
    meanStart: () => millisOfStarts / Math.max(starts, 1),
    isArmed: () => readyAt !== undefined && Date.now() - readyAt > graceMillis,
    kill: () => {
      if (readyAt !== undefined) kills += 1
      end("SIGKILL")
    },
    hold: Effect.gen(function* () {
      mayRun.closeUnsafe()
      end("SIGTERM")
      for (let waited = 0; !hasEnded(child) && waited < 100; waited++) yield* Effect.sleep("20 millis")
      end("SIGKILL")
    }),
    letGo: mayRun.open,
    ready: untilUp(isUp, name, log),
    kills: () => kills,
    crashes: () => crashes
  }
  return instance
})
