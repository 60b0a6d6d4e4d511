import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { addressesIn, Machine } from "../../src/doctor/Machine.ts"

const directory = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(tmpdir(), "machine-test-"))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true }))
)

describe("The machine", () => {
  it("reads names in a hosts file", () => {
    const text = "127.0.0.1 localhost\n# 45.0.0.9 gate.shop\n127.0.1.1\tGate.shop gate # here\n::1 localhost\n"
    assert.deepStrictEqual(addressesIn(text, "gate.shop"), ["127.0.1.1"])
    assert.deepStrictEqual(addressesIn(text, "localhost"), ["127.0.0.1", "::1"])
    assert.deepStrictEqual(addressesIn(text, "other.shop"), [])
  })

  it.effect("finds a file, or the newest file of a directory", () =>
    Effect.gen(function* () {
      const { newestFile } = yield* Machine
      const place = yield* directory
      assert.isUndefined(newestFile(place))
      assert.isUndefined(newestFile(path.join(place, "missing")))
      const [older, newer] = ["b.dump", "a.dump"].map((name) => path.join(place, name)) as [string, string]
      fs.writeFileSync(older, "older")
      fs.writeFileSync(newer, "new")
      fs.utimesSync(older, 1000, 1000)
      fs.utimesSync(newer, 2000, 2000)
      fs.mkdirSync(path.join(place, "directory"))
      fs.writeFileSync(path.join(place, ".part"), "not complete")
      assert.deepStrictEqual(newestFile(place), { path: newer, bytes: 3, modifiedMillis: 2_000_000 })
      assert.deepStrictEqual(newestFile(older), { path: older, bytes: 5, modifiedMillis: 1_000_000 })
    })
  )

  it.effect.skipIf(!fs.existsSync("/dev/shm"))("knows that memory does not last, also for a directory to be made", () =>
    Effect.gen(function* () {
      const { passingFileSystem } = yield* Machine
      assert.include(passingFileSystem("/dev/shm/not/yet"), "in memory (tmpfs)")
      assert.isUndefined(passingFileSystem("/proc"))
    })
  )
})
