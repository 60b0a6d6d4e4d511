import { Deferred, Effect, Exit } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { attempt } from "./EmbeddedPostgresFailed.ts"
import { environment, type PostgresAccount } from "./PostgresAccount.ts"

/** The contents of `postmaster.pid`, as `pg_ctl` reads them. */
export interface Postmaster {
  readonly pid: number
  readonly socketDirectory: string
  readonly status: string
}

/** Part of the name of the socket file; the server listens on no port. */
export const port = 5432

export const socketFile = (socketDirectory: string) => path.join(socketDirectory, `.s.PGSQL.${port}`)

const pidFile = (data: string) => path.join(data, "postmaster.pid")

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/**
 * True when the process is the server. After a crash the pid in the file may belong to another program, which `/proc`
 * shows where it exists.
 */
const isPostmaster = (pid: number, data: string) => {
  if (!isAlive(pid)) return false
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(data)
  } catch {
    return isAlive(pid)
  }
}

const parse = (text: string, data: string): Postmaster | undefined => {
  const lines = text.split("\n")
  const pid = Number(lines[0])
  if (!isPostmaster(pid, data)) return
  return { pid, socketDirectory: lines[4] ?? "", status: lines[7]?.trim() ?? "" }
}

/**
 * Finds the server that runs on the data directory. Only an absent pid file means that there is none. When the file
 * cannot be read, as without a free file descriptor (EMFILE), the server may run, so this fails.
 */
export const find = (data: string) =>
  attempt("reading the pid file", () => {
    try {
      return parse(fs.readFileSync(pidFile(data), "utf8"), data)
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
      throw error
    }
  })

/**
 * Removes a pid file whose pid belongs to another program, because PostgreSQL would refuse to start. PostgreSQL itself
 * removes the pid file of a process that has ended, with more checks than these.
 */
export const removeMisleadingPidFile = (data: string) => {
  try {
    const pid = Number.parseInt(fs.readFileSync(pidFile(data), "utf8"), 10)
    if (isAlive(pid) && !isPostmaster(pid, data)) fs.rmSync(pidFile(data))
  } catch {
    // There is no pid file.
  }
}

/** True when a server accepts connections on the socket. */
export const answers = (socketDirectory: string) =>
  Effect.callback<boolean>((resume) => {
    const socket = net.connect(socketFile(socketDirectory))
    socket.once("connect", () => {
      socket.destroy()
      resume(Effect.succeed(true))
    })
    socket.once("error", () => resume(Effect.succeed(false)))
    return Effect.sync(() => socket.destroy())
  })

/**
 * A shell between this process and the server. It holds one end of a pipe, which the kernel closes when this process
 * ends in any way; then the shell requests a fast shutdown (SIGINT). Its first line of output is the server's pid.
 */
const watchdog = `
trap '' HUP INT TERM
exec 3<&0 </dev/null
"$@" 3<&- >&2 &
server=$!
echo $server
exec >&2
(read -r line <&3; kill -INT $server) 2>/dev/null &
guard=$!
exec 3<&-
wait $server
status=$?
kill -KILL $guard 2>/dev/null
exit $status
`

export interface Launched {
  /** Undefined until the shell has printed it. */
  readonly pid: () => number | undefined
  readonly hasEnded: Effect.Effect<boolean>
  /** Ends the server, which rolls back open transactions and keeps committed ones. */
  readonly stop: Effect.Effect<void>
}

/**
 * Starts a server that does not outlive this process. The server is outside the terminal's process group, so that
 * Ctrl-C lets the program finish its work first.
 */
export const launch = (options: {
  readonly account: PostgresAccount
  readonly program: string
  readonly args: ReadonlyArray<string>
  /** A file descriptor. */
  readonly log: number
}): Launched => {
  const ended = Deferred.makeUnsafe<void>()
  const end = () => Deferred.doneUnsafe(ended, Exit.void)
  let pid: number | undefined
  const shell = spawn("/bin/sh", ["-c", watchdog, "postgres-watchdog", options.program, ...options.args], {
    ...options.account.ids,
    cwd: "/",
    env: environment,
    detached: true,
    stdio: ["pipe", "pipe", options.log]
  })
  shell.once("exit", end)
  shell.once("error", end)
  shell.stdin?.on("error", () => undefined)
  shell.stdout?.once("data", (line: Buffer) => {
    pid = Number(line.toString())
  })
  return {
    pid: () => pid,
    hasEnded: Deferred.isDone(ended),
    stop: Effect.suspend(() => {
      shell.stdin?.end()
      return Deferred.await(ended)
    })
  }
}
