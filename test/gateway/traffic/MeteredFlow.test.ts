import { assert, describe, it, onTestFinished } from "@effect/vitest"
import { Socket } from "node:net"
import { MeteredFlow } from "../../../src/gateway/traffic/MeteredFlow.ts"

describe("A direction of a tunnel whose socket cannot reuse memory", () => {
  it("keeps all bytes in order when chunks arrive while others wait for the meter", () => {
    const from = new Socket()
    const to = new Socket()
    onTestFinished(() => void [from, to].map((socket) => socket.destroy()))
    let written = ""
    to._write = (chunk, _, done) => {
      written += String(chunk)
      done()
    }
    let allowed = 0
    const flow = new MeteredFlow({ from, to, pass: (bytes) => Math.min(bytes, allowed), finish: () => {} })
    for (const text of ["one ", "two ", "three"]) from.emit("data", Buffer.from(text))
    assert.strictEqual(written, "")
    allowed = 100
    flow.resume()
    assert.strictEqual(written, "one two three")
  })
})
