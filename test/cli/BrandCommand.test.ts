import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { mailTemplates } from "../../src/brand/MailTemplates.ts"
import { brand } from "../../src/cli/BrandCommand.ts"
import { folderWith } from "../brand/BrandTesting.ts"
import { runner } from "./CommandTesting.ts"

const run = runner(brand)

const withSettings = (env: Record<string, string>) =>
  Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))

layer(NodeServices.layer)("brand", (it) => {
  it.effect("export writes every text of the built-in brand, and check finds no fault in them", () =>
    Effect.gen(function* () {
      const directory = path.join(yield* folderWith({}), "new", "brand")
      assert.include(yield* run(`export ${directory}`), `${directory} has the built-in brand`)
      const mails = Object.keys(mailTemplates)
      const files = mails.flatMap((name) => [`${name}.subject`, `${name}.txt`])
      assert.sameMembers(fs.readdirSync(path.join(directory, "mail")), [...files, "de"])
      assert.sameMembers(fs.readdirSync(path.join(directory, "mail/de")), files)
      assert.strictEqual(yield* run(`check ${directory}`), `${directory} has no faults; files: ${3 + 4 * mails.length}`)
      assert.include(fs.readFileSync(path.join(directory, "mail/password_reset.txt"), "utf8"), "  {{link}}\n")
    })
  )

  it.effect("export replaces no file", () =>
    Effect.gen(function* () {
      const directory = yield* folderWith({ "mail/proxy_ended.txt": "mine" })
      const file = path.join(directory, "mail/proxy_ended.txt")
      assert.strictEqual(yield* run(`export ${directory}`), `failed: ${file} exists; choose another folder`)
      assert.deepStrictEqual(fs.readdirSync(directory), ["mail"])
      assert.strictEqual(fs.readFileSync(file, "utf8"), "mine")
    })
  )

  it.effect("check fails with faults, and checks the folder of BRAND_DIR by default", () =>
    Effect.gen(function* () {
      const directory = yield* folderWith({ "mail/proxy_ended.txt": "{{name}}", "brand.json": '{"name": "Acme"}' })
      const failed = `failed: Faults in ${directory}: 1`
      assert.strictEqual(yield* run(`check ${directory}`), failed)
      assert.strictEqual(yield* run("check").pipe(withSettings({ BRAND_DIR: directory })), failed)
      fs.rmSync(path.join(directory, "mail"), { recursive: true })
      assert.strictEqual(
        yield* run("check").pipe(withSettings({ BRAND_DIR: directory })),
        `${directory} has no faults; files: 1`
      )
    })
  )

  it.effect("check asks for a folder", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* run("check").pipe(withSettings({})), "failed: Name a folder, or set BRAND_DIR")
    })
  )
})
