import { assert, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rooms, uses } from "../../oxlint.config.ts"
import { knownSettings } from "../../src/doctor/KnownSettings.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const textOf = (file: string) => readFileSync(join(root, file), "utf8")

/** The cells of each row of the tables of a page. */
const rowsOf = (page: string) =>
  textOf(page)
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.slice(1, -1).split("|"))
    .map((cells) => cells.map((cell) => cell.trim()))

const quoted = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)

/** Room names of a cell; "root" is the folder without its rooms. */
const roomsIn = (cell: string) => [...(/\broot\b/.test(cell) ? [""] : []), ...quoted(cell)]

const sorted = (table: ReadonlyArray<readonly [string, ReadonlyArray<string>]>) =>
  Object.fromEntries(table.map(([name, imports]) => [name, imports.toSorted()]))

it("docs/architecture.md shows the imports of each folder as the linter allows them", () => {
  const documented = rowsOf("docs/architecture.md").flatMap(([folder = "", , imports = "", ...more]) => {
    const [name = ""] = quoted(folder)
    if (more.length > 0 || !(name in uses)) return []
    const others = Object.keys(uses).filter((other) => other !== name && !quoted(imports).includes(other))
    return [[name, imports.startsWith("all but") ? others : quoted(imports)] as const]
  })
  assert.deepStrictEqual(sorted(documented), sorted(Object.entries(uses)))
})

it("docs/architecture.md shows the imports of each room as the linter allows them", () => {
  const documented: Record<string, Record<string, ReadonlyArray<string>>> = {}
  let folder = ""
  for (const [first = "", names = "", , imports, ...more] of rowsOf("docs/architecture.md")) {
    if (imports === undefined || more.length > 0) continue
    folder = quoted(first)[0] ?? folder
    if (!(folder in rooms)) continue
    for (const name of roomsIn(names)) {
      documented[folder] = { ...documented[folder], [name]: roomsIn(imports).toSorted() }
    }
  }
  const linted = Object.entries(rooms).map(([folder, table]) => [folder, sorted(Object.entries(table))] as const)
  assert.deepStrictEqual(documented, Object.fromEntries(linted))
})

/** A setting between the service and the gateway that it starts. */
const internal = ["GATEWAY_SUPERVISED"]

it("docs/configuration.md lists the settings that the program reads, and no others", () => {
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => textOf(join("src", file)))
    .join("\n")
  const read = /(?:Config\.\w+|integer|parsed|address|hostAddress|secret|Config\.schema\([^"]*,)\(?\s*"([A-Z][A-Z_]+)"/g
  const settings = [...sources.matchAll(read)].map(([, name = ""]) => name).filter((name) => !internal.includes(name))
  const documented = rowsOf("docs/configuration.md")
    .flatMap(([names = ""]) => quoted(names))
    .filter((name) => /^[A-Z_]+$/.test(name))
  // The keys of vendors have the vendor's name: `${name}_API_KEY`.
  const isRead = (name: string) => [name, name.replace(/_API_KEY$/, "")].some((text) => sources.includes(`"${text}"`))
  assert.isAbove(settings.length, 40)
  assert.deepStrictEqual(
    settings.filter((name) => !documented.includes(name)),
    []
  )
  assert.deepStrictEqual(
    documented.filter((name) => !isRead(name)),
    []
  )
  assert.deepStrictEqual(
    documented.filter((name) => !knownSettings.includes(name)),
    []
  )
  const unread = knownSettings.filter((name) => !documented.includes(name) && !isRead(name))
  const ofCompose = textOf("docker-compose.yml")
  assert.deepStrictEqual(
    unread.filter((name) => !ofCompose.includes(`\${${name}`) && !/_(?:API_URL|CALLS_PER_(?:DAY|MONTH))$/.test(name)),
    []
  )
})
