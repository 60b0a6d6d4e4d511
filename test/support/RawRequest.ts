import { Effect } from "effect"
import * as net from "node:net"

/** Sends bytes, and returns what has come when the server ends the connection, or after `enough` of it has come. */
export const sent = (port: number, parts: ReadonlyArray<string>, enough: (text: string) => boolean = () => false) =>
  Effect.callback<string>((resume) => {
    let text = ""
    const socket = net.connect(port, "127.0.0.1", () => {
      for (const part of parts) socket.write(part)
    })
    const end = () => {
      resume(Effect.succeed(text))
      socket.destroy()
    }
    socket.on("data", (data) => {
      text += String(data)
      if (enough(text)) end()
    })
    socket.on("error", end).on("close", end)
  })
