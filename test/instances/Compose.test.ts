import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import * as TestDatabase from "../support/TestDatabase.ts"
import { isInstalled } from "./Programs.ts"

const program = "docker-compose"
const client = "psql"

const directory = fileURLToPath(new URL("../..", import.meta.url))

it.skipIf(!isInstalled(program))(
  "docker-compose.yml describes two instances, and the files it mounts are here (needs docker-compose)",
  () => {
    const config = execFileSync(program, ["config"], { cwd: directory, encoding: "utf8" })
    const names = Array.from(config.matchAll(/INSTANCE_NAME: (\w+)/g), ([, name]) => name)
    assert.deepStrictEqual(names, ["a", "b"])
    // Compose 1 prints a mount as one line, Compose 2 its parts.
    const mounted = Array.from(
      config.matchAll(/(?:- |source: )(\/[^\s:]+)(?=:\/\S+:ro|\s+target:)/g),
      ([, file = ""]) => file
    )
    assert.deepStrictEqual(mounted.map((file) => file.slice(directory.length)).toSorted(), [
      "deploy/Caddyfile",
      "deploy/gateway-role.sql"
    ])
    assert.isTrue(mounted.every((file) => fs.existsSync(file)))
    const urls = (name: string) => Array.from(config.matchAll(new RegExp(` ${name}: (\\S+)`, "g")), ([, url]) => url)
    const [service, gateway] = ["app:app", "gateway:gateway"].map((user) => `postgres://${user}@postgres:5432/app`)
    assert.sameMembers(urls("DATABASE_URL"), [service, service, gateway])
    assert.sameMembers(urls("GATEWAY_DATABASE_URL"), [gateway, gateway])
  }
)

layer(TestDatabase.layer)("deploy/gateway-role.sql", (it) => {
  it.effect.skipIf(!isInstalled(client))("makes a role that may connect and do nothing else (needs psql)", () =>
    Effect.gen(function* () {
      const url = yield* TestDatabase.url
      // Roles belong to the whole server: the transaction removes this one.
      const script = [
        "BEGIN;",
        fs.readFileSync(`${directory}deploy/gateway-role.sql`, "utf8"),
        "SELECT rolcanlogin, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,",
        "  rolpassword LIKE 'SCRAM%', has_table_privilege('gateway', 'gateway_proxy', 'SELECT')",
        "FROM pg_authid WHERE rolname = 'gateway';",
        "ROLLBACK;"
      ].join("\n")
      const printed = execFileSync(client, [url, "-XqtA", "-v", "ON_ERROR_STOP=1"], {
        encoding: "utf8",
        input: script,
        env: { ...process.env, GATEWAY_POSTGRES_PASSWORD: 'it\'s "mine"' }
      })
      assert.strictEqual(printed.trim(), "t|f|f|f|f|f|t|f")
    })
  )
})
