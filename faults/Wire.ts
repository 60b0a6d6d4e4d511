import { Effect } from "effect"
import * as net from "node:net"
import { commitOf, nameOf } from "./Statement.ts"

/**
 * The fate of a statement or a call of the vendor: it passes; the process is killed before it happens, or after it and
 * before the answer; or it happens, and the connection breaks instead of the answer.
 */
export type Verdict = "pass" | "kill before" | "kill after" | "lose answer"

export interface Judge {
  readonly judge: (point: string) => Verdict
  readonly kill: () => void
}

const cancelRequest = 80_877_102
const tlsRequest = 80_877_103

const zeroEnd = (frame: Buffer, from: number) => {
  const end = frame.indexOf(0, from)
  return { text: frame.toString("utf8", from, end), next: end + 1 }
}

/** Cuts complete messages off a stream; the rest waits for more data. */
const splitter = () => {
  let rest: Buffer = Buffer.alloc(0)
  /** The first message of a client has no type. */
  return (chunk: Buffer, isFirst: () => boolean, take: (frame: Buffer) => void) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (;;) {
      const header = isFirst() ? 0 : 1
      if (rest.length < header + 4) return
      const length = header + rest.readInt32BE(header)
      if (rest.length < length) return
      const frame = rest.subarray(0, length)
      rest = rest.subarray(length)
      take(frame)
    }
  }
}

/** Derives the next statement of a client from its messages: it sends one at a time, ended by a Sync. */
const follower = () => {
  const prepared = new Map<string, string>()
  let sql = ""
  let written: Array<string> = []
  let isOpen = false

  /** The name of the statement; undefined for one that only reads. */
  const pointOf = (text: string) => {
    const word = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase()
    if (word === "BEGIN" || word === "ROLLBACK") {
      // A savepoint is rolled back within a transaction that continues.
      if (word === "BEGIN" || !/\bTO\b/i.test(text)) [written, isOpen] = [[], word === "BEGIN"]
      return undefined
    }
    if (word === "COMMIT") {
      const point = commitOf(written)
      written = []
      isOpen = false
      return point
    }
    const point = nameOf(text)
    if (point !== undefined && isOpen) written.push(point)
    return point
  }

  return {
    note: (frame: Buffer) => {
      const type = String.fromCharCode(frame[0] ?? 0)
      if (type === "Q") sql = zeroEnd(frame, 5).text
      if (type === "P") {
        const { next, text } = zeroEnd(frame, 5)
        prepared.set(text, zeroEnd(frame, next).text)
      }
      if (type === "B") sql = prepared.get(zeroEnd(frame, zeroEnd(frame, 5).next).text) ?? ""
      return type
    },
    take: () => {
      const point = pointOf(sql)
      sql = ""
      return point
    }
  }
}

const isReadyForQuery = (frame: Buffer) => frame[0] === 0x5a

/** One connection of the service, forwarded to the server. */
const connect = (client: net.Socket, socketFile: string, { judge, kill }: Judge) => {
  const server = net.connect(socketFile)
  const end = () => {
    client.destroy()
    server.destroy()
  }
  for (const socket of [client, server]) socket.on("error", end).on("close", end)

  const split = splitter()
  const answers = splitter()
  const statement = follower()
  let isFirst = true
  let unit: Array<Buffer> = []
  /** The action that replaces the answer to the last statement. */
  let instead: (() => void) | undefined

  const complete = () => {
    const point = statement.take()
    const verdict = point === undefined ? "pass" : judge(point)
    const sent = Buffer.concat(unit)
    unit = []
    if (verdict === "kill before") {
      kill()
      return end()
    }
    if (verdict === "kill after") instead = kill
    if (verdict === "lose answer") instead = () => undefined
    server.write(sent)
  }

  const take = (frame: Buffer) => {
    if (isFirst) {
      const code = frame.readInt32BE(4)
      if (code === tlsRequest) return void client.write("N")
      isFirst = code === cancelRequest
      return void server.write(frame)
    }
    unit.push(frame)
    const type = statement.note(frame)
    if (type === "S" || type === "Q") return complete()
    if ("PBDEC".includes(type)) return
    server.write(Buffer.concat(unit))
    unit = []
  }

  client.on("data", (chunk: Buffer) => split(chunk, () => isFirst, take))
  server.on("data", (chunk: Buffer) => {
    if (instead === undefined) return void client.write(chunk)
    answers(
      chunk,
      () => false,
      (frame) => {
        if (!isReadyForQuery(frame)) return
        instead?.()
        end()
      }
    )
  })
}

/**
 * A proxy in front of the database that knows each statement of the service, and can kill the service immediately
 * before or after one. It understands only the necessary part of PostgreSQL's protocol. Answers the port that it
 * listens on.
 */
export const serve = (socketFile: string, judge: Judge) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
      const open = new Set<net.Socket>()
      const server = net.createServer({ noDelay: true }, (client) => {
        open.add(client)
        client.on("close", () => open.delete(client))
        connect(client, socketFile, judge)
      })
      const close = () => {
        server.close()
        for (const client of open) client.destroy()
      }
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ port, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ port }) => port))
