import { createConnection, type Socket } from "node:net"

/** The way of a client to the destination: through a port that leads to it, by `CONNECT`, or by SOCKS5. */
export type Way = "plain" | "connect" | "socks5"

export const login = { username: "customer", password: "correct horse" }

/** All links read into the same memory, so that the load costs little. Nothing but heads is looked at. */
const memory = Buffer.allocUnsafeSlow(256 * 1024)

/** A connection to the destination, which counts what arrives. */
export class Link {
  readonly socket: Socket
  received = 0
  #head = ""
  #wanted = 0
  #arrived = () => {}
  #failed = (_error: Error) => {}

  constructor(port: number) {
    const callback = (bytes: number) => {
      this.received += bytes
      if (this.#head.length < 1_000) this.#head += memory.toString("latin1", 0, Math.min(bytes, 1_000))
      if (this.received >= this.#wanted) this.#arrived()
      return true
    }
    this.socket = createConnection({ port, host: "127.0.0.1", noDelay: true, onread: { buffer: memory, callback } })
    this.socket.on("error", (error) => this.#failed(error))
    this.socket.once("close", () => this.#failed(new Error("a connection of the benchmark was closed")))
  }

  /** Waits for `bytes` more. */
  async arrival(bytes: number): Promise<void> {
    const wanted = this.received + bytes
    await new Promise<void>((settle, reject) => {
      this.#wanted = wanted
      this.#arrived = settle
      this.#failed = reject
    })
  }

  async #answer(request: Buffer | string, bytes: number): Promise<string> {
    this.#head = ""
    const arrival = this.arrival(bytes)
    this.socket.write(request)
    await arrival
    return this.#head
  }

  async #connect(destination: number) {
    const authority = `127.0.0.1:${destination}`
    const basic = Buffer.from(`${login.username}:${login.password}`).toString("base64")
    let head = await this.#answer(
      `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nProxy-Authorization: Basic ${basic}\r\n\r\n`,
      1
    )
    while (!head.endsWith("\r\n\r\n")) {
      await this.arrival(1)
      head = this.#head
    }
    if (!/^HTTP\/1\.[01] 200 /.test(head)) throw new Error(head)
  }

  async #socks(destination: number) {
    const [user, pass] = [Buffer.from(login.username), Buffer.from(login.password)]
    await this.#answer(Buffer.from([5, 1, 2]), 2)
    await this.#answer(Buffer.from([1, user.length, ...user, pass.length, ...pass]), 2)
    const reply = await this.#answer(Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, destination >> 8, destination & 255]), 10)
    if (reply.charCodeAt(1) !== 0) throw new Error(`SOCKS5 reply ${reply.charCodeAt(1)}`)
  }

  /** Sends one line to the destination, which says what it has to do (`Destination.ts`). */
  async open(way: Way, destination: number, line: string): Promise<this> {
    if (way === "connect") await this.#connect(destination)
    if (way === "socks5") await this.#socks(destination)
    this.socket.write(`${line}\n`)
    return this
  }

  /** Echoes a few bytes; answers the milliseconds that this took. */
  async echo(bytes: Buffer): Promise<number> {
    const start = performance.now()
    const arrival = this.arrival(bytes.length)
    this.socket.write(bytes)
    await arrival
    return performance.now() - start
  }

  close() {
    this.#failed = () => {}
    this.socket.destroy()
  }
}
