import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { attempt, EmbeddedPostgresFailed } from "./EmbeddedPostgresFailed.ts"

/** The account that runs the server; without ids it is the account of this process. */
export interface PostgresAccount {
  readonly name: string
  readonly ids: { readonly uid?: number; readonly gid?: number }
}

const preferred = ["postgres", "_postgres", "node", "nobody"]

const accounts = () =>
  fs
    .readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .map(([name = "", , uid, gid]) => ({ name, ids: { uid: Number(uid), gid: Number(gid) } }))
    .filter(({ ids }) => ids.uid > 0 && ids.gid > 0)

const choose = (data: string): PostgresAccount | undefined => {
  const owner = fs.statSync(data, { throwIfNoEntry: false })
  if (owner !== undefined && owner.uid !== 0) {
    return { name: `with id ${owner.uid}`, ids: { uid: owner.uid, gid: owner.gid } }
  }
  const known = accounts()
  return preferred.map((name) => known.find((account) => account.name === name)).find(Boolean) ?? known[0]
}

/**
 * Finds the account that runs the server. PostgreSQL refuses to run as root, so root uses the owner of the data
 * directory, else the first of the usual unprivileged accounts.
 */
export const find = Effect.fn("PostgresAccount.find")(function* (
  data: string
): Effect.fn.Return<PostgresAccount, EmbeddedPostgresFailed> {
  if (process.getuid?.() !== 0) return { name: "of this process", ids: {} }
  const account = yield* attempt("looking for an unprivileged account", () => choose(data))
  if (account !== undefined) return account
  return yield* new EmbeddedPostgresFailed({ reason: "it may not run as root and there is no other account" })
})

/** Environment of PostgreSQL's programs. */
export const environment = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", TZ: "UTC" }

/** Runs a program under the account. Returns its error text, or undefined when it succeeds. */
export const complaint = (account: PostgresAccount, program: string, args: ReadonlyArray<string>, input = "") =>
  Effect.callback<string | undefined>((resume) => {
    const options = { ...account.ids, cwd: "/", env: environment, timeout: 120_000 }
    try {
      const child = execFile(program, [...args], options, (error, stdout, stderr) =>
        resume(Effect.succeed(error === null ? undefined : stderr.trim() || stdout.trim() || error.message))
      )
      child.stdin?.on("error", () => undefined).end(input)
      return Effect.sync(() => child.kill())
    } catch (error) {
      resume(Effect.succeed(error instanceof Error ? error.message : String(error)))
      return
    }
  })
