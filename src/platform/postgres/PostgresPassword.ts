import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { attempt } from "./EmbeddedPostgresFailed.ts"
import { complaint } from "./PostgresAccount.ts"
import type { PostgresInstallation } from "./PostgresInstallation.ts"

/** Requires a role's password from every account that can open the socket. */
const rules = "# Written by the service at its start.\nlocal all all scram-sha-256\n"

/** Reads the password that the first start made, or makes one. */
const keep = (file: string) => {
  let isNew = true
  try {
    fs.writeFileSync(file, randomBytes(32).toString("hex"), { flag: "wx", mode: 0o600 })
  } catch (error) {
    if (!fs.existsSync(file)) throw error
    isNew = false
  }
  return { isNew, password: fs.readFileSync(file, "utf8") }
}

const replace = (file: string, { account, data }: PostgresInstallation) => {
  const aside = path.join(data, `pg_hba.${randomBytes(6).toString("hex")}`)
  fs.writeFileSync(aside, rules, { mode: 0o600 })
  const { gid, uid } = account.ids
  if (uid !== undefined && gid !== undefined) fs.chownSync(aside, uid, gid)
  fs.renameSync(aside, file)
}

/**
 * Gives the owner of the database a password that only this account can read, and makes the server require it. A data
 * directory without a password gets one before its server starts; while a server runs on it already, the next start
 * does this.
 */
export const secure = Effect.fn("PostgresPassword.secure")(function* (
  installation: PostgresInstallation,
  directory: string,
  username: string
) {
  const { account, bin, data } = installation
  const file = path.join(data, "pg_hba.conf")
  const isSecured = () => fs.readFileSync(file, "utf8") === rules
  const { isNew, password } = yield* attempt("keeping its password", () => keep(path.join(directory, "password")))
  if ((yield* attempt("reading pg_hba.conf", isSecured)) && !isNew) return password
  // PostgreSQL's single-user mode accepts no connections, and fails while another server uses the directory.
  const statement = `ALTER ROLE ${username} PASSWORD '${password}';\n`
  const problem = yield* complaint(account, path.join(bin, "postgres"), ["--single", "-D", data, "postgres"], statement)
  if (problem === undefined) {
    yield* attempt("writing pg_hba.conf", () => replace(file, installation))
    return password
  }
  // Another instance may be doing the same.
  for (let turn = 0; turn < 20 && !isSecured(); turn++) yield* Effect.sleep("100 millis")
  if (!isSecured())
    yield* Effect.logWarning(
      `The embedded PostgreSQL requires no password until its next start: ${problem.split("\n")[0]}`
    )
  return password
})
