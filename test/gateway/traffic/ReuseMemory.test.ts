import { assert, describe, it, onTestFinished, vi } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createConnection, type Socket } from "node:net"
import { reuseMemory } from "../../../src/gateway/traffic/ReuseMemory.ts"
import { closing } from "../LocalGateway.ts"
import { rawOrigin } from "../Origin.ts"
import { patience } from "../ProxyClient.ts"

/** The two ends of a connection. */
const ends = async () => {
  const accepted = Promise.withResolvers<Socket>()
  const origin = await closing(rawOrigin(accepted.resolve))
  const connected = createConnection({ port: origin.port, host: "127.0.0.1", allowHalfOpen: true })
  onTestFinished(() => void connected.destroy())
  await once(connected, "connect")
  return { accepted: await accepted.promise, connected }
}

describe("A socket that reuses its memory", () => {
  it.each(["accepted", "connected"] as const)("takes no memory for each chunk, when it is %s", async (name) => {
    const found = await ends()
    const sender = name === "accepted" ? found.connected : found.accepted
    const memories = new Set<ArrayBufferLike>()
    let received = 0
    const isSet = reuseMemory(found[name], (chunk) => {
      memories.add(chunk.buffer)
      received += chunk.length
    })
    assert.isTrue(isSet)
    sender.write(Buffer.alloc(20_000_000))
    found[name].resume()
    await vi.waitFor(() => assert.strictEqual(received, 20_000_000), patience)
    assert.isBelow(memories.size, 50)
  })

  it("keeps the bytes while it is paused, and reports the end", async () => {
    const { accepted, connected } = await ends()
    const chunks: Array<Buffer> = []
    reuseMemory(accepted, (chunk) => {
      accepted.pause()
      setTimeout(() => {
        chunks.push(Buffer.from(chunk))
        accepted.resume()
      }, 1)
    })
    const sent = randomBytes(3_000_000)
    connected.end(sent)
    const ended = once(accepted, "end")
    accepted.resume()
    await ended
    assert.isTrue(Buffer.concat(chunks).equals(sent))
  })

  it("reads nothing while it is paused", async () => {
    const { accepted, connected } = await ends()
    let received = 0
    reuseMemory(accepted, (chunk) => {
      received += chunk.length
      accepted.pause()
    })
    accepted.pause()
    connected.write(Buffer.alloc(100_000))
    await new Promise((settle) => setTimeout(settle, 50))
    assert.strictEqual(received, 0)
    accepted.resume()
    await vi.waitFor(() => assert.isAbove(received, 0), patience)
    const first = received
    await new Promise((settle) => setTimeout(settle, 50))
    assert.strictEqual(received, first)
  })

  it("leaves a socket that has ended as it is", async () => {
    const { accepted } = await ends()
    accepted.destroy()
    await once(accepted, "close")
    assert.isFalse(reuseMemory(accepted, () => {}))
  })
})
