import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import { MeteredFlow } from "./MeteredFlow.ts"
import type { MeteredLink, TrafficMeter } from "./TrafficMeter.ts"

/** The time that a client has to read the bytes that passed before the limit. */
const lingerMillis = 5_000

/** The time that a destination may stay silent after its client has ended. */
const halfOpenMillis = 60_000

/** The two directions of a tunnel. */
interface Relay {
  readonly down: MeteredFlow
  readonly up: MeteredFlow
  /** The number of directions that have ended. */
  ended: number
}

/**
 * A metered connection to a destination: every byte, in both directions, passes the meter of the proxy. For plain HTTP,
 * this includes the heads. It is a stream for the client of plain HTTP, until `relay` connects it to the client of a tunnel.
 */
export class MeteredSocket extends Duplex implements MeteredLink {
  readonly #raw: Socket
  readonly #meter: TrafficMeter
  /** The received bytes that may not pass yet. */
  #held: Buffer | undefined
  /** Continues a write that may not pass yet. */
  #resumeWrite: (() => void) | undefined
  #ended = false
  #cut = false
  #relay: Relay | undefined

  constructor(raw: Socket, meter: TrafficMeter, idleMillis: number) {
    super({ allowHalfOpen: true })
    this.#raw = raw
    this.#meter = meter
    meter.attach(this)
    raw.on("data", (chunk: Buffer) => this.#receive(chunk))
    raw.on("end", () => {
      this.#ended = true
      if (this.#relay !== undefined) this.#relay.down.end()
      else if (this.#held === undefined) this.push(null)
    })
    raw.on("error", (error) => this.destroy(error))
    raw.on("close", () => {
      if (!this.#ended) this.destroy()
    })
    raw.setTimeout(idleMillis, () => this.destroy())
  }

  /** True when the traffic limit ended the connection. */
  get isCut() {
    return this.#cut
  }

  get localAddress() {
    return this.#raw.localAddress
  }

  get localPort() {
    return this.#raw.localPort
  }

  get remoteAddress() {
    return this.#raw.remoteAddress
  }

  /** Connects the destination to the client of a tunnel, until both directions have ended. Closes when they have. */
  relay(client: Socket) {
    const raw = this.#raw
    // These bytes have passed the meter.
    const passed: Buffer | null = this.read()
    if (passed !== null) client.write(passed)
    raw.removeAllListeners("data")
    const over = () => {
      relay.ended += 1
      if (relay.ended === 2) this.destroy()
    }
    const down = { from: raw, to: client, pass: this.#pass("down"), finish: () => void client.end(over) }
    const up = { from: client, to: raw, pass: this.#pass("up"), finish: () => this.#endRaw(over) }
    const relay: Relay = { down: new MeteredFlow(down, this.#held), up: new MeteredFlow(up), ended: 0 }
    this.#held = undefined
    this.#relay = relay
    if (this.#cut) relay.up.drop()
    if (this.#ended) relay.down.end()
    if (client.readableEnded) relay.up.end()
    else client.once("end", () => relay.up.end())
    this.resumeTraffic()
  }

  #pass(direction: "down" | "up") {
    return (bytes: number) => this.#meter.pass(this, direction, bytes)
  }

  #receive(chunk: Buffer) {
    const passed = this.#meter.pass(this, "down", chunk.length)
    this.#held = passed < chunk.length ? chunk.subarray(passed) : undefined
    const wantsMore = passed === 0 || this.push(chunk.subarray(0, passed))
    if (!wantsMore || this.#held !== undefined) this.#raw.pause()
    // The raw socket reports its end only once, so a full buffer must not delay the end.
    if (this.#ended && this.#held === undefined) this.push(null)
  }

  override _read() {
    if (this.#held === undefined) this.#raw.resume()
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, callback: (error?: Error | null) => void) {
    if (this.#cut || this.#raw.destroyed) return callback()
    const passed = this.#meter.pass(this, "up", chunk.length)
    const flushed = passed === 0 || this.#raw.write(chunk.subarray(0, passed))
    if (passed < chunk.length) this.#resumeWrite = () => this._write(chunk.subarray(passed), encoding, callback)
    else if (flushed) callback()
    else this.#raw.once("drain", callback)
  }

  override _final(callback: () => void) {
    // When both directions have ended, the stream destroys itself. The written bytes must have left by then.
    this.#endRaw(callback)
  }

  #endRaw(ended: () => void) {
    this.#raw.end(() => ended())
    this.#raw.setTimeout(Math.min(this.#raw.timeout ?? halfOpenMillis, halfOpenMillis))
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void) {
    this.#meter.detach(this)
    // A rate limit may still wake this connection. Bytes that no longer pass are not counted.
    this.#held = undefined
    this.#relay?.down.drop()
    this.#relay?.up.drop()
    this.#raw.destroy()
    callback(error)
  }

  resumeTraffic() {
    if (this.#relay !== undefined) {
      this.#relay.down.resume()
      this.#relay.up.resume()
      return
    }
    const resumeWrite = this.#resumeWrite
    this.#resumeWrite = undefined
    if (this.#held !== undefined) this.#receive(this.#held)
    resumeWrite?.()
  }

  endTraffic() {
    if (this.#cut) return
    this.#cut = true
    this.#ended = true
    this.#held = undefined
    this.#raw.pause().removeAllListeners("data")
    this.#raw.destroySoon()
    if (this.#relay === undefined) {
      this.push(null)
      this.resumeTraffic()
    } else {
      this.#relay.down.drop()
      this.#relay.down.end()
      this.#relay.up.drop()
      this.#relay.up.resume()
    }
    setTimeout(() => this.destroy(), lingerMillis).unref()
  }
}
