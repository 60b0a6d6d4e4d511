import { assert, it } from "@effect/vitest"
import fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

const src = fileURLToPath(new URL("../../src", import.meta.url))

/** What each process of the service loads at its start. */
const gateway = ["cli/ServiceCommandLine.ts", "gateway/process/Gateway.ts"]
const starts = ["cli/CommandLine.ts", "cli/Serve.ts", "cli/Workers.ts", ...gateway]

/** Packages that most processes never use. Each would make every start longer. */
const lazy = ["@simplewebauthn/server", "fontkit", "marked", "nodemailer", "pdfkit", "stripe", "yaml"]

/** Lists the modules that a file loads with itself. An import of types alone loads nothing. */
const importsOf = (file: string): ReadonlyArray<string> =>
  [...fs.readFileSync(file, "utf8").matchAll(/^(?:import|export) (?!type )(?:[^"';]*? from )?"([^"]+)"/gm)].map(
    ([, name = ""]) => (name.startsWith(".") ? path.join(path.dirname(file), name) : name)
  )

const loadedBy = (starts: ReadonlyArray<string>): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (module: string) => {
    if (found.has(module)) return
    found.add(module)
    if (module.endsWith(".ts") && path.isAbsolute(module)) importsOf(module).forEach(visit)
  }
  starts.forEach((start) => visit(path.join(src, start)))
  return found
}

it("A start loads no package that only some processes use", () => {
  const loaded = loadedBy(starts)
  assert.isAbove(loaded.size, 300)
  for (const module of [
    "shop/Shop.ts",
    "cli/ShopCommand.ts",
    "platform/mail/Smtp.ts",
    "wallet/invoices/PaperPdf.ts",
    "dashboard/help/GuideText.ts"
  ])
    assert.isTrue(loaded.has(path.join(src, module)), module)
  assert.deepStrictEqual(
    lazy.filter((name) => loaded.has(name)),
    []
  )
  // The search finds them where they are used.
  assert.isTrue(loadedBy(["shop/ReadShopFile.ts"]).has("yaml"))
})

it("The process of the gateway loads no domain but its own", () => {
  const folders = [...loadedBy(gateway)]
    .filter(path.isAbsolute)
    .map((file) => path.relative(src, file).split(path.sep)[0])
  assert.deepStrictEqual([...new Set(folders)].toSorted(), ["cli", "gateway", "platform"])
})

it("A gateway on another host loads no driver of a database", () => {
  const loaded = loadedBy([...gateway, "gateway/remote/ControlRemote.ts"])
  assert.isFalse(loaded.has("@effect/sql-pg"))
  // The search finds it where it is used.
  assert.isTrue(loadedBy(["gateway/control/ControlDatabase.ts"]).has("@effect/sql-pg"))
})
