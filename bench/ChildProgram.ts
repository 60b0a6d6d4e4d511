import { Effect } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const ended = (child: ChildProcess) =>
  Effect.promise(async () => {
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
  })

/** Runs a program of this folder until the scope closes. */
export const start = (
  program: URL,
  env: Readonly<Record<string, string>>,
  tell: (message: unknown) => void,
  args: ReadonlyArray<string> = [],
  output: "inherit" | "ignore" = "inherit"
) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      fork(fileURLToPath(program), [...args], {
        stdio: ["ignore", output, "inherit", "ipc"],
        env: { PATH: process.env["PATH"], NODE_OPTIONS: process.env["NODE_OPTIONS"], ...env }
      }).on("message", tell)
    ),
    (child) =>
      Effect.timeoutOrElse(
        Effect.suspend(() => {
          child.kill("SIGTERM")
          return ended(child)
        }),
        { duration: "10 seconds", orElse: () => Effect.sync(() => child.kill("SIGKILL")) }
      )
  )
