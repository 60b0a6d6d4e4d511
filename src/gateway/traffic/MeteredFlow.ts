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
 * meter or for a slow receiver, so at most one chunk waits here. There is no stream between the two sockets, because its
 * events would cost as much for each chunk as the rest.
 */
export class MeteredFlow {
  readonly #options: Options
  /** The bytes that may not pass yet. */
  #held: Buffer | undefined
  #ended = false
  #finished = false
  #drops = false

  /** Begins with `held` and with what the sender's stream has in its buffer. Passes nothing before `resume`. */
  constructor(options: Options, held?: Buffer) {
    const { from, to } = options
    this.#options = options
    const waiting = held === undefined ? [] : [held]
    for (let chunk: Buffer | null = from.read(); chunk !== null; chunk = from.read()) waiting.push(chunk)
    if (waiting.length > 0) this.#held = Buffer.concat(waiting)
    if (!reuseMemory(from, this.#pass)) from.on("data", this.#pass)
    from.pause()
    to.on("drain", () => this.resume())
  }

  /** True: all bytes of the chunk have left. */
  readonly #pass = (chunk: Buffer): boolean => {
    if (this.#drops) return true
    const { from, pass, to } = this.#options
    const passed = pass(chunk.length)
    if (passed < chunk.length) {
      this.#held = chunk.subarray(passed)
      if (passed > 0) to.write(chunk.subarray(0, passed))
      from.pause()
      return false
    }
    to.write(chunk)
    // A large chunk asks for a pause even if it has already left.
    if (to.writableLength === 0) return true
    if (to.writableNeedDrain) from.pause()
    return false
  }

  /** Continues, because more bytes may pass or the receiver has room again. */
  resume() {
    const { from, to } = this.#options
    if (to.writableNeedDrain) return
    const held = this.#held
    this.#held = undefined
    if (held !== undefined) this.#pass(held)
    if (this.#held !== undefined || to.writableNeedDrain) return
    if (this.#ended) this.end()
    else from.resume()
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
