import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { ConnectionLog } from "../../../src/gateway/traffic/ConnectionLog.ts"

const connection = {
  proxy_id: randomUUID(),
  exit_ip: "127.0.0.1",
  exit_port: 40_000,
  destination: "8.8.8.8",
  destination_port: 443
}

describe("ConnectionLog", () => {
  it("takes records once, and again when they change", () => {
    const log = new ConnectionLog()
    const opened = log.opened(connection)!
    assert.lengthOf(log.take(10), 1)
    assert.isTrue(log.isEmpty)
    log.closed(opened)
    assert.deepStrictEqual(
      log.take(10).map(({ closed, id }) => [id, closed]),
      [[opened.id, true]]
    )
    assert.isTrue(log.isEmpty)
  })

  it("keeps a bounded number of records, counts the others, and takes back what was not written", () => {
    const log = new ConnectionLog()
    for (let count = 0; count < 50_007; count++) log.opened(connection)
    assert.strictEqual(log.takeDropped(), 7)
    const taken = log.take(1_000)
    for (let count = 0; count < 999; count++) log.opened(connection)
    for (const record of taken) record.closed = true
    log.giveBack(taken, 7)
    assert.strictEqual(log.takeDropped(), 7 + 999)
    assert.lengthOf(log.take(100_000), 50_000)
  })

  it("reports open connections as ended when the process ends", () => {
    const log = new ConnectionLog()
    log.opened(connection)
    log.opened(connection)
    log.take(10)
    log.closeAll()
    assert.deepStrictEqual(
      log.take(10).map(({ closed }) => closed),
      [true, true]
    )
  })
})
