import { Effect } from "effect"
import { createHash, randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { attempt, EmbeddedPostgresFailed } from "./EmbeddedPostgresFailed.ts"
import * as PostgresAccount from "./PostgresAccount.ts"
import * as PostgresRuntime from "./PostgresRuntime.ts"
import { socketFile } from "./PostgresServer.ts"

/** Everything that a server needs to start: an account, programs, a data directory, a place for its socket. */
export interface PostgresInstallation {
  readonly account: PostgresAccount.PostgresAccount
  readonly bin: string
  readonly data: string
  readonly log: string
  readonly socketDirectory: string
}

/** Name of the role that the program uses. */
export const username = "app"

/** Limit of the path of a socket. `sun_path` holds 104 bytes on macOS and 108 on Linux, including a final zero. */
const socketPathBytes = 103

/**
 * Chooses a directory beside the data, or one with a short name in the temporary directory when the first path is too
 * long for a socket.
 */
const chooseSocketDirectory = (directory: string) => {
  const hash = createHash("sha256").update(directory).digest("hex").slice(0, 12)
  const candidates = [path.join(directory, "run"), path.join(tmpdir(), `proxy-rental-${hash}`)]
  const short = candidates.find((at) => Buffer.byteLength(socketFile(at)) <= socketPathBytes)
  if (short !== undefined) return short
  throw new Error(`the paths of ${directory} and ${tmpdir()} are both too long; choose a shorter DATA_DIR`)
}

const give = (at: string, { ids }: PostgresAccount.PostgresAccount) => {
  if (ids.uid !== undefined && ids.gid !== undefined) fs.chownSync(at, ids.uid, ids.gid)
}

/**
 * Creates a directory that only the account can enter. In a shared place, refuses a directory that another account
 * created.
 */
const privateDirectory = (at: string, account: PostgresAccount.PostgresAccount) => {
  fs.mkdirSync(at, { recursive: true, mode: 0o700 })
  const found = fs.lstatSync(at)
  if (!found.isDirectory() || (found.uid !== process.getuid?.() && found.uid !== account.ids.uid)) {
    throw new Error(`${at} belongs to another account`)
  }
  give(at, account)
  fs.chmodSync(at, 0o700)
}

const requireReachable = Effect.fnUntraced(function* (at: string, account: PostgresAccount.PostgresAccount) {
  const problem = yield* PostgresAccount.complaint(account, "/bin/sh", ["-c", 'test -x "$1"', "sh", at])
  if (problem === undefined) return
  return yield* new EmbeddedPostgresFailed({
    reason: `the account ${account.name} cannot reach ${at}; choose a DATA_DIR that is not below a private directory`
  })
})

const initdb = [
  ["-U", username, "-A", "trust", "-E", "UTF8"],
  ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions"]
].flat()

const build = Effect.fnUntraced(function* (at: PostgresInstallation, building: string, synced: boolean) {
  yield* attempt("creating the data directory", () => {
    fs.mkdirSync(building, { mode: 0o700 })
    give(building, at.account)
  })
  const args = ["-D", building, ...initdb, ...(synced ? [] : ["--no-sync"])]
  const problem = yield* PostgresAccount.complaint(at.account, path.join(at.bin, "initdb"), args)
  if (problem !== undefined) return yield* new EmbeddedPostgresFailed({ reason: `initdb failed (${problem})` })
  yield* attempt("placing the data directory", () => {
    try {
      fs.renameSync(building, at.data)
    } catch (error) {
      if (!fs.existsSync(at.data)) throw error
    }
  })
})

/** Removes the half-built directories of killed starts; no start takes an hour. */
const sweep = (directory: string) => {
  for (const name of fs.readdirSync(directory).filter((name) => /^(data|runtime-.*)\.[0-9a-f-]{36}$/.test(name))) {
    const at = path.join(directory, name)
    const changed = fs.statSync(at, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    if (Date.now() - changed > 3_600_000) fs.rmSync(at, { recursive: true, force: true })
  }
}

/**
 * Builds the data directory under another name and renames it, so that it is complete or absent. The first of several
 * processes wins.
 */
const initialize = Effect.fn("PostgresInstallation.initialize")(function* (
  at: PostgresInstallation,
  options: { readonly synced: boolean }
) {
  if (fs.existsSync(at.data)) return
  yield* attempt("clearing its directory", () => sweep(path.dirname(at.data)))
  const building = `${at.data}.${randomUUID()}`
  const clean = Effect.sync(() => fs.rmSync(building, { recursive: true, force: true }))
  yield* Effect.ensuring(build(at, building, options.synced), clean)
})

/** Finds or creates everything that a server needs. */
export const prepare = Effect.fn("PostgresInstallation.prepare")(function* (options: {
  readonly directory: string
  readonly from: PostgresRuntime.ProgramsModule
  /** True when a new data directory must survive a power cut. */
  readonly synced: boolean
}) {
  if (process.platform === "win32") {
    return yield* new EmbeddedPostgresFailed({ reason: "it does not run on Windows" })
  }
  const directory = path.resolve(options.directory)
  const data = path.join(directory, "data")
  const account = yield* PostgresAccount.find(data)
  const socketDirectory = yield* attempt("preparing its directory", () => {
    const chosen = chooseSocketDirectory(directory)
    fs.mkdirSync(directory, { recursive: true, mode: 0o755 })
    privateDirectory(chosen, account)
    return chosen
  })
  yield* requireReachable(directory, account)
  yield* requireReachable(socketDirectory, account)
  const bin = yield* PostgresRuntime.locate({ directory, account, from: options.from })
  const installation: PostgresInstallation = {
    account,
    bin,
    data,
    log: path.join(directory, "postgres.log"),
    socketDirectory
  }
  yield* initialize(installation, options)
  return installation
})
