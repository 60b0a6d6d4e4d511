import { assert, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { onTestFinished } from "vitest"
import { MeterJournal } from "../../../src/gateway/remote/MeterJournal.ts"

const mebibyte = 1024 * 1024

const open = () => {
  const directory = fs.mkdtempSync(path.join(tmpdir(), "journal-"))
  onTestFinished(() => fs.rmSync(directory, { recursive: true, force: true }))
  return directory
}

it("shows at least what has passed, and at most a step more", () => {
  const directory = open()
  const [epoch, one, other] = [randomUUID(), randomUUID(), randomUUID()]
  const journal = new MeterJournal(directory)
  journal.begin(epoch)
  for (let total = 1_000; total <= 3 * mebibyte; total += 1_000) assert.isTrue(journal.cover(one, 1, total))
  assert.isTrue(journal.cover(other, 2, 500))
  // Another process reads it, without an end of the first.
  const [former] = new MeterJournal(directory).former(null)
  assert(former !== undefined)
  assert.strictEqual(former.epoch, epoch)
  assert.deepStrictEqual(
    former.slots.map(({ cycle, proxy_id }) => [proxy_id, cycle]),
    [
      [one, 1],
      [other, 2]
    ]
  )
  const [first, second] = former.slots.map(({ total }) => total)
  assert.isAtLeast(first ?? 0, 3 * mebibyte - 1_000)
  assert.isAtMost(first ?? 0, 4 * mebibyte)
  assert.strictEqual(second, mebibyte + 500)
})

it("begins a cycle anew, and hides the running epoch", () => {
  const directory = open()
  const [former, running, proxy] = [randomUUID(), randomUUID(), randomUUID()]
  const journal = new MeterJournal(directory)
  journal.begin(former)
  journal.cover(proxy, 1, 5 * mebibyte)
  journal.cover(proxy, 2, 10)
  journal.begin(running)
  journal.cover(proxy, 2, 20)
  assert.deepStrictEqual(journal.former(running), [
    { epoch: former, slots: [{ proxy_id: proxy, cycle: 2, total: mebibyte + 10 }] }
  ])
  journal.forget(running)
  assert.deepStrictEqual(journal.former(running), [])
  assert.strictEqual(journal.former(null).length, 1)
})

it("lets nothing pass that it cannot write", () => {
  const journal = new MeterJournal(open())
  assert.isFalse(journal.cover(randomUUID(), 1, 1))
  journal.begin(randomUUID())
  journal.close()
  assert.isFalse(journal.cover(randomUUID(), 1, 1))
})
