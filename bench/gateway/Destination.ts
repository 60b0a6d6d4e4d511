import { once } from "node:events"
import { createServer, type Socket } from "node:net"

// The destination, in a separate process. The first line of a connection says what it does: `send N` sends N bytes after
// each further byte, `take` counts what arrives and answers a byte for each `N` bytes of `take N`, `drip` sends 1 KiB
// a second, `echo` echoes.

const block = Buffer.alloc(256 * 1024, "x")
const dripMillis = 1_000

const send = (socket: Socket, bytes: number) => {
  let left = 0
  const more = () => {
    while (left > 0) {
      const size = Math.min(left, block.length)
      left -= size
      if (!socket.write(size === block.length ? block : block.subarray(0, size))) return
    }
  }
  socket.on("drain", more)
  socket.on("data", (chunk: Buffer) => {
    left += chunk.length * bytes
    more()
  })
}

const take = (socket: Socket, bytes: number) => {
  let taken = 0
  socket.on("data", (chunk: Buffer) => {
    taken += chunk.length
    for (; taken >= bytes; taken -= bytes) socket.write("x")
  })
}

const drip = (socket: Socket) => {
  const timer = setInterval(() => socket.write(block.subarray(0, 1_024)), dripMillis)
  socket.resume().once("close", () => clearInterval(timer))
}

const serve = (socket: Socket, line: string) => {
  const [command, bytes] = line.split(" ")
  if (command === "send") send(socket, Number(bytes))
  else if (command === "take") take(socket, Number(bytes))
  else if (command === "drip") drip(socket)
  else socket.on("data", (chunk: Buffer) => socket.write(chunk))
}

const server = createServer({ noDelay: true }, (socket) => {
  let line = ""
  socket.on("error", () => socket.destroy())
  const begin = (chunk: Buffer) => {
    line += chunk.toString("latin1")
    const end = line.indexOf("\n")
    if (end < 0) return
    socket.off("data", begin)
    serve(socket, line.slice(0, end))
    const rest = line.slice(end + 1)
    if (rest !== "") socket.emit("data", Buffer.from(rest, "latin1"))
  }
  socket.on("data", begin)
})

process.on("disconnect", () => process.exit())
await once(server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }), "listening")
process.send?.(server.address())
