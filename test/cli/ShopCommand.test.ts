import { NodeServices } from "@effect/platform-node"
import { assert, it, layer } from "@effect/vitest"
import { ConfigProvider, Console, Effect, Layer, Result } from "effect"
import { Command } from "effect/cli"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileSchema, prices, shop } from "../../src/cli/ShopCommand.ts"
import { missingVersions } from "../../src/gateway/ExitAddresses.ts"
import { read } from "../../src/shop/ReadShopFile.ts"
import { Shop } from "../../src/shop/Shop.ts"
import { ShopChanges } from "../../src/staff/shop/ShopChanges.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { events } from "./CommandEvents.ts"
import { runner } from "./CommandTesting.ts"

const example = new URL("../../shop.example.yaml", import.meta.url)
const text = fs.readFileSync(example, "utf8")

/** Writes a shop file that is removed with the scope. */
const fileOf = (text: string | Uint8Array) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "shop-")), "shop.yaml")
      fs.writeFileSync(file, text)
      return file
    }),
    (file) => Effect.sync(() => fs.rmSync(path.dirname(file), { recursive: true }))
  )

const services = Layer.merge(Shop.layer, ShopChanges.layer)
const run = runner(shop(services))
const rules = runner(prices(services))

const withSettings = (command: string, env: Record<string, string>) =>
  Effect.provideService(run(command), ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
const stripe = { STRIPE_SECRET_KEY: "sk_live_1", STRIPE_WEBHOOK_SECRET: "whsec_1" }

/** One pool lists an address that may be the machine's own, and another pool is the machine. */
const ownTwice = `version: 1
pools:
  us-dc: { country: US, kind: datacenter, exits: [203.0.113.5] }
  own: { country: DE, kind: datacenter, exits: machine }
articles:
  dc-us: { pool: us-dc, mode: static, ip_version: IPv4, name: US, periods: [{ days: 30, name: 1 month, usd: 2 }] }
  dc-own: { pool: own, mode: static, ip_version: IPv4, name: Own, periods: [{ days: 30, name: 1 month, usd: 2 }] }
`

layer(Layer.merge(TestDatabase.layer, NodeServices.layer))("The commands of the shop", (it) => {
  it.effect("plan, apply and export a file", () =>
    Effect.gen(function* () {
      const file = yield* fileOf(text)
      assert.strictEqual(yield* run("export"), "failed: The database has no shop yet")
      const planned = yield* run(`plan ${file}`)
      assert.include(planned, "+ gateway datacenter-ipv4-us, Datacenter IPv4, United States")
      const [, id = ""] =
        /^Only planned\. To apply it: npx -c 'node src\/main\.ts shop apply \S+ --plan (\w{12})'$/m.exec(planned) ?? []
      assert.match(
        yield* run(`apply ${file} --plan ${id.replace(/^./, "x")}`),
        /^failed: Faults in .+: 1\. Nothing was changed$/
      )
      assert.strictEqual(yield* run("export"), "failed: The database has no shop yet")
      assert.include(yield* run(`apply ${file} --plan ${id}`), `Applied ${file}`)
      assert.include(yield* run(`plan ${file}`), "Only planned; nothing changes for customers")

      assert.include(
        yield* rules("list"),
        "gateway mobile-ipv4-us, Mobile rotating, United States\n    1 day with 3 GB: 2.50 USD or 193 stars"
      )
      const dearer = yield* fileOf(`${text}\nprices:\n  - { vendor: gateway, kind: mobile, markup: 10% }\n`)
      assert.include(yield* rules(`plan ${dearer}`), "1 day with 3 GB: 2.50 USD or 193 stars → 2.75 USD or 213 stars")
      assert.include(yield* rules(`apply ${dearer} --reason Dearer`), `Applied ${dearer}`)
      const [, ofPrices] = yield* events
      assert.deepInclude(ofPrices, { action: "shop.price", subject: "shop prices", reason: "Dearer" })
      assert.include(JSON.stringify(ofPrices?.after), "1 day with 3 GB: 2.50 USD or 193 stars → 2.75 USD or 213 stars")
      const exported = yield* fileOf(yield* run("export"))
      assert.include(fs.readFileSync(exported, "utf8"), "markup: 10%")
      assert.include(yield* run(`plan ${exported}`), "nothing changes for customers")
    })
  )

  it.effect("name the exit addresses that this machine lacks", () =>
    Effect.gen(function* () {
      const exits = "us-mobile: { country: US, kind: mobile, exits: [127.0.0.9, 203.0.113.9] }"
      const file = yield* fileOf(text.replace("us-mobile: { country: US, kind: mobile, exits: machine }", exits))
      assert.include(yield* run(`plan ${file}`), "? No interface of this machine has 203.0.113.9. If the gateway")
    })
  )

  it.effect("refuse for real money to sell the machine's own address twice", () =>
    Effect.gen(function* () {
      const file = yield* fileOf(ownTwice)
      assert.include(yield* withSettings(`plan ${file}`, { GATEWAY_HOST: "203.0.113.5" }), "sells too: 203.0.113.5. An")
      assert.match(
        yield* withSettings(`apply ${file}`, { ...stripe, GATEWAY_HOST: "203.0.113.5" }),
        /^failed: Faults in .+: 1\. Nothing was changed$/
      )
      assert.include(yield* withSettings(`apply ${file}`, { ...stripe, GATEWAY_HOST: "203.0.113.8" }), "Applied")
    })
  )

  it.effect("name the IP version that this machine lacks for its own address", () =>
    Effect.gen(function* () {
      const file = yield* fileOf(ownTwice.replace(/dc-own:(.+)IPv4/, "dc-own-6:$1IPv6"))
      const found = "? This machine has no IPv6 address that leads to the internet."
      const lacksIt = missingVersions(["IPv6"], "203.0.113.5").length > 0
      const plan = (GATEWAY_HOST: string) => withSettings(`plan ${file}`, { GATEWAY_HOST })
      assert.strictEqual((yield* plan("203.0.113.5")).includes(found), lacksIt)
      assert.notInclude(yield* plan("2606:4700::7"), found)
    })
  )

  it.effect("change the prices of the demo shop, which is still the demo, and leave the rest", () =>
    Effect.gen(function* () {
      const shop = yield* Shop
      yield* shop.apply({ ...Result.getOrThrow(read(text)), is_demo: true, isSelling: true })
      const other = text.replace("name: 1 month, usd: 1.80", "name: 1 month, usd: 9")
      const file = yield* fileOf(
        `${other}\nprices:\n  - { kind: mobile, markup: 5% }\nrenewals: { announce_above: 90% }\n`
      )
      yield* rules(`apply ${file}`)
      assert.isTrue(yield* shop.isDemo)
      const exported = yield* run("export")
      assert.include(exported, "markup: 5%")
      assert.include(exported, "announce_above: 20%")
      assert.notInclude(exported, "usd: 9\n")
    }).pipe(Effect.provide(Shop.layer))
  )

  it.effect("refuse the demo shop for real money, and keep its label", () =>
    Effect.gen(function* () {
      const shop = yield* Shop
      yield* shop.apply({ ...Result.getOrThrow(read(text)), is_demo: true, isSelling: true })
      const file = yield* fileOf(`${text}\nprices:\n  - { kind: mobile, markup: 5% }\n`)
      assert.match(yield* withSettings(`apply ${file}`, stripe), /^failed: Faults in .+: 2\. Nothing was changed$/)
      assert.match(yield* run(`apply ${file}`), /^\? line \d+: The file is the demo shop; describe your own goods$/m)
      assert.isTrue(yield* shop.isDemo)
    }).pipe(Effect.provide(Shop.layer))
  )

  it.effect("print all faults of a file with their lines", () =>
    Effect.gen(function* () {
      const file = yield* fileOf("version: 1\npools: { a_b: { country: us, kind: boat, exits: machine } }\n")
      assert.match(yield* run(`plan ${file}`), /^failed: Faults in .+: \d\. Nothing was changed$/)
      const cannot = "failed: Cannot read the shop file"
      assert.strictEqual(yield* run("plan /nowhere/shop.yaml"), `${cannot} /nowhere/shop.yaml: there is no such file`)
      assert.strictEqual(yield* run(`plan ${os.tmpdir()}`), `${cannot} ${os.tmpdir()}: it is a directory`)
      const latin1 = yield* fileOf(Buffer.from("version: 1 # caf\u00e9\n", "latin1"))
      assert.strictEqual(yield* run(`plan ${latin1}`), `${cannot} ${latin1}: it is not UTF-8 text`)
      const many = yield* fileOf(
        `version: 1\npools: {}\narticles: {}\n${Array.from({ length: 120 }, (_, i) => `w${i}: 1\n`).join("")}`
      )
      const noField = "There is no such field here; the fields are version, pools, articles, prices, renewals"
      const printed: Array<string> = []
      const console = { ...(yield* Console.Console), log: (text: string) => void printed.push(text) }
      yield* Effect.exit(
        Effect.provideService(
          Command.runWith(shop(services), { version: "1.0.0", renderErrors: false })(["plan", many]),
          Console.Console,
          console
        )
      )
      assert.deepStrictEqual(printed.slice(99), [`${many}:103: w99: ${noField}`, "and 20 more"])
      // A file without an end.
      assert.match(yield* run("plan /dev/zero"), /^failed: Faults in .+: 1\./)
    })
  )
})

it("The schema of the shop file is the one that the project delivers", () => {
  const delivered = fs.readFileSync(new URL("../../shop.schema.json", import.meta.url), "utf8")
  assert.strictEqual(delivered, `${fileSchema()}\n`)
})
