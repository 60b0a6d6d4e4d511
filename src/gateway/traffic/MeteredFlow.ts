import type { Socket } from "node:net"
import { reuseMemory } from "./ReuseMemory.ts"

interface Options {
  readonly from: Socket
  readonly to: Socket
  /** Returns the number of bytes that may pass now, and counts them as passed. */
  readonly pass: (bytes: number) => number
  /** Ends the direction, after its last byte is written. */
  readonly finish: () => void
}

/**
 * One direction of a tunnel: writes what it reads, as far as the meter allows. It reads nothing while bytes wait for the
 * meter or for a slow receiver, so at most one chunk waits here, in the memory into which it was read. There is no stream
 * between the two sockets, because its events would cost as much for each chunk as the rest.
 */
export class MeteredFlow {
  readonly #options: Options
  /** The bytes that may not pass yet. */
  #held: Buffer | undefined
  /** True while bytes wait for the receiver. */
  #writing = false
  #ended = false
  #finished = false
  #drops = false

  /** Begins with `held` and with what the sender's stream has in its buffer. Passes nothing before `resume`. */
  constructor(options: Options, held?: Buffer) {
    const { from } = options
    this.#options = options
    const waiting = held === undefined ? [] : [held]
    for (let chunk: Buffer | null = from.read(); chunk !== null; chunk = from.read()) waiting.push(chunk)
    if (waiting.length > 0) this.#held = Buffer.concat(waiting)
    if (!reuseMemory(from, this.#pass)) from.on("data", this.#pass)
    from.pause()
  }

  readonly #pass = (chunk: Buffer) => {
    if (this.#drops) return
    const { from, pass, to } = this.#options
    if (this.#held !== undefined) {
      // A stream with `data` events resumes by itself when its last `readable` listener has gone.
      this.#held = Buffer.concat([this.#held, chunk])
      return void from.pause()
    }
    const passed = pass(chunk.length)
    const isWhole = passed === chunk.length
    if (!isWhole) this.#held = chunk.subarray(passed)
    if (passed > 0) {
      to.write(isWhole ? chunk : chunk.subarray(0, passed), this.#written)
      // Most writes have left at once, also the large ones after which the stream asks for a pause.
      this.#writing = to.writableLength > 0
    }
    if (!isWhole || this.#writing) from.pause()
  }

  readonly #written = () => {
    if (!this.#writing || this.#options.to.writableLength > 0) return
    this.#writing = false
    this.resume()
  }

  /** Continues, because more bytes may pass. */
  resume() {
    if (this.#writing) return
    const held = this.#held
    this.#held = undefined
    if (held !== undefined) this.#pass(held)
    if (this.#held !== undefined || this.#writing) return
    if (this.#ended) this.end()
    else this.#options.from.resume()
  }

  /** Ends the direction when the last byte has passed. */
  end() {
    this.#ended = true
    if (this.#held !== undefined || this.#finished) return
    this.#finished = true
    this.#options.finish()
  }

  /** Passes no more bytes. */
  drop() {
    this.#drops = true
    this.#held = undefined
  }
}
