import { Effect } from "effect"
import { createConnection } from "node:net"
import { times } from "../Ratio.ts"

interface Answer {
  readonly status: number
  /** Status line and header fields as they arrived. */
  readonly head: string
  readonly body: string
}

const headEnd = Buffer.from("\r\n\r\n")

const lengthOf = (head: string, status: number) => {
  if (status === 304) return 0
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
  if (Number.isNaN(length)) throw new Error(`an answer without a length: ${head}`)
  return length
}

/** Opens a connection again that the server may have closed as unused. */
const idleMillis = 1000

interface Pending {
  readonly keep: boolean
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

/** Reads answers from a connection, one for each request. Bodies are counted, and kept only on request. */
const open = (port: number) => {
  const socket = createConnection({ host: "127.0.0.1", port, noDelay: true })
  let pending: Pending | undefined
  let answer = { status: 0, head: "" }
  let missing = 0
  let chunks: Array<Buffer> = []
  let unread: Buffer = Buffer.alloc(0)

  const take = (chunk: Buffer) => {
    missing -= chunk.length
    if (pending?.keep === true) chunks.push(chunk)
    if (missing > 0) return
    const done = pending
    const body = Buffer.concat(chunks).toString()
    pending = undefined
    chunks = []
    done?.resolve({ ...answer, body })
  }

  const begin = (chunk: Buffer) => {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk])
    const end = unread.indexOf(headEnd)
    if (end < 0) return
    const head = unread.toString("latin1", 0, end)
    const status = Number(head.slice(9, 12))
    answer = { status, head }
    missing = lengthOf(head, status)
    const rest = unread.subarray(end + headEnd.length)
    unread = Buffer.alloc(0)
    take(rest)
  }

  socket.on("data", (chunk: Buffer) => (missing > 0 ? take(chunk) : begin(chunk)))
  socket.on("error", (error) => pending?.reject(error))
  socket.on("close", () => pending?.reject(new Error("the connection was closed")))

  return {
    ask: (request: Buffer, keep: boolean) =>
      new Promise<Answer>((resolve, reject) => {
        pending = { keep, resolve, reject }
        socket.write(request)
      }),
    close: () => void socket.destroy()
  }
}

/** One keep-alive connection with little overhead of its own. */
const connect = (port: number) => {
  let connection = open(port)
  let usedAt = performance.now()
  return {
    ask: async (request: Buffer, keep = false) => {
      if (performance.now() - usedAt > idleMillis) {
        connection.close()
        connection = open(port)
      }
      const answer = await connection.ask(request, keep)
      usedAt = performance.now()
      return answer
    },
    close: () => connection.close()
  }
}

/** This number of connections to a server, closed with the scope. */
export const connections = (port: number, count: number) =>
  Effect.acquireRelease(
    Effect.sync(() => times(count).map(() => connect(port))),
    (all) => Effect.sync(() => all.forEach(({ close }) => close()))
  )

/** A request as it goes over the wire. */
export const wire = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: unknown) => {
  const text = body === undefined ? "" : JSON.stringify(body)
  const lines = Object.entries({
    host: "127.0.0.1",
    ...headers,
    ...(text === "" ? {} : { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) })
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${text}`)
}

export interface Run {
  /** A second. */
  readonly rate: number
  /** Milliseconds of each. */
  readonly samples: ReadonlyArray<number>
}

/** The next request of a lane, until its answer. */
export type Once = (lane: number) => Promise<void>

/** Runs lanes for this duration; each lane repeats the same request, one after the other. */
export const run = (lanes: number, millis: number, once: Once) =>
  Effect.promise(async (): Promise<Run> => {
    const samples: Array<number> = []
    const start = performance.now()
    const lane = async (lane: number) => {
      for (let began = start; began < start + millis;) {
        await once(lane)
        const now = performance.now()
        samples.push(now - began)
        began = now
      }
    }
    await Promise.all(times(lanes).map(lane))
    return { rate: (samples.length * 1000) / (performance.now() - start), samples }
  })
