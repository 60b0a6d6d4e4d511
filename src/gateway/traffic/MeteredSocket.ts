import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import type { MeteredLink, TrafficMeter } from "./TrafficMeter.ts"

/** The time that a client has to read the bytes that passed before the limit. */
const lingerMillis = 5_000

/** The time that a destination may stay silent after its client has ended. */
const halfOpenMillis = 60_000

/**
 * A metered connection to a destination: every byte, in both directions, passes the meter of the proxy. For plain HTTP,
 * this includes the heads.
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

  constructor(raw: Socket, meter: TrafficMeter, idleMillis: number) {
    super({ allowHalfOpen: true })
    this.#raw = raw
    this.#meter = meter
    meter.attach(this)
    raw.on("data", (chunk: Buffer) => this.#receive(chunk))
    raw.on("end", () => {
      this.#ended = true
      if (this.#held === undefined) this.push(null)
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

  #receive(chunk: Buffer) {
    const passed = this.#meter.spend(chunk.length)
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
    const passed = this.#meter.spend(chunk.length)
    const flushed = passed === 0 || this.#raw.write(chunk.subarray(0, passed))
    if (passed < chunk.length) this.#resumeWrite = () => this._write(chunk.subarray(passed), encoding, callback)
    else if (flushed) callback()
    else this.#raw.once("drain", callback)
  }

  override _final(callback: () => void) {
    // When both directions have ended, the stream destroys itself. The written bytes must have left by then.
    this.#raw.end(() => callback())
    this.#raw.setTimeout(Math.min(this.#raw.timeout ?? halfOpenMillis, halfOpenMillis))
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void) {
    this.#meter.detach(this)
    this.#raw.destroy()
    callback(error)
  }

  resumeTraffic() {
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
    this.push(null)
    this.#raw.pause().removeAllListeners("data")
    this.#raw.destroySoon()
    this.resumeTraffic()
    setTimeout(() => this.destroy(), lingerMillis).unref()
  }
}
