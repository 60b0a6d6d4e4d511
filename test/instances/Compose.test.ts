import { assert, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { isInstalled } from "./Programs.ts"

const program = "docker-compose"

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
    assert.deepStrictEqual(
      mounted.map((file) => file.slice(directory.length)),
      ["deploy/Caddyfile"]
    )
    assert.isTrue(mounted.every((file) => fs.existsSync(file)))
  },
  60_000
)
