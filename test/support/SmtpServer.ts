import { Effect } from "effect"
import { type AddressInfo, createServer, type Socket } from "node:net"

interface Options {
  /** The reply to every recipient. */
  readonly refusal?: string
  /** The only password that is let in; without one, nobody has to sign in. */
  readonly password?: string
  /** Ends the connection after the text of a mail, without a reply. */
  readonly isLost?: boolean
}

const converse = (socket: Socket, { isLost = false, password, refusal }: Options, received: Array<string>) => {
  let isData = false
  let text = ""
  const answer = (line: string) => {
    if (line.startsWith("EHLO") && password !== undefined) return "250-here\r\n250 AUTH PLAIN"
    if (line.startsWith("AUTH PLAIN ")) {
      const said = Buffer.from(line.slice(11), "base64").toString().split("\0")[2]
      return said === password ? "235 welcome" : "535 wrong password"
    }
    if (line.startsWith("RCPT") && refusal !== undefined) return refusal
    return line === "DATA" ? "354 go on" : "250 fine"
  }
  socket.on("error", () => {})
  socket.write("220 ready\r\n")
  socket.on("data", (chunk) => {
    text += chunk.toString()
    for (let end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n")) {
      const line = text.slice(0, end)
      text = text.slice(end + 2)
      received.push(line)
      if (isData && line !== ".") continue
      if (isData && isLost) socket.destroy()
      else if (line === "QUIT") socket.end("221 bye\r\n")
      else socket.write(`${answer(line)}\r\n`)
      isData = line === "DATA"
    }
  })
}

/** A mail server on a loopback port. It records the lines that it receives. */
export const start = Effect.fnUntraced(function* (options: Options = {}) {
  const received: Array<string> = []
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const created = createServer((socket) => converse(socket, options, received))
      created.listen(0, "127.0.0.1", () => resume(Effect.succeed(created)))
    }),
    (server) => Effect.sync(() => server.close())
  )
  const { port } = server.address() as AddressInfo
  return { port, received, env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: "Proxies <no-reply@example.com>" } }
})
