import { type Way, Link } from "./Link.ts"

// Slow clients of a side, in a separate process: most receive 1 KiB a second, a tenth asks for much and reads nothing.

const port = Number(process.env["PORT"])
const destination = Number(process.env["DESTINATION"])
const way = process.env["WAY"] as Way
const count = Number(process.env["COUNT"])
const atOnce = 50

const open = async (index: number) => {
  const stalls = index % 10 === 0
  const link = await new Link(port).open(way, destination, stalls ? "send 4194304" : "drip")
  if (!stalls) return
  link.socket.pause()
  link.socket.write("x")
}

process.on("disconnect", () => process.exit())
for (let index = 0; index < count; index += atOnce)
  await Promise.all(Array.from({ length: Math.min(atOnce, count - index) }, (_, n) => open(index + n)))
process.send?.("open")
