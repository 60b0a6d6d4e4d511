import { Effect } from "effect"
import { createServer } from "node:net"

/** Below the ports that systems give to outgoing connections, and outside the ports that the tests' gateways sell. */
const range = { first: 30_000, last: 32_767 }

const isFree = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const server = createServer()
    server.once("error", () => resume(Effect.succeed(false)))
    server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(true))))
  })

/** A free port of 127.0.0.1. No outgoing connection takes it, so a restarted program finds it free. */
export const freePort: Effect.Effect<number> = Effect.gen(function* () {
  for (let tried = 0; tried < 1000; tried++) {
    const port = range.first + Math.floor(Math.random() * (range.last - range.first + 1))
    if (yield* isFree(port)) return port
  }
  return yield* Effect.die(new Error(`No port of ${range.first} to ${range.last} is free`))
})
