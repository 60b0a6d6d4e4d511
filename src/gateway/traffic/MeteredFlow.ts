import type { Socket } from "node:net"

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

  /** Begins with bytes that are already read. */
  constructor(options: Options, held?: Buffer) {
    this.#options = options
    this.#held = held
    options.from.on("data", (chunk: Buffer) => this.#pass(chunk))
    options.to.on("drain", () => this.resume())
  }

  #pass(chunk: Buffer) {
    if (this.#drops) return
    const { from, pass, to } = this.#options
    const passed = pass(chunk.length)
    if (passed < chunk.length) {
      this.#held = chunk.subarray(passed)
      if (passed > 0) to.write(chunk.subarray(0, passed))
      from.pause()
    } else if (!to.write(chunk)) from.pause()
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
