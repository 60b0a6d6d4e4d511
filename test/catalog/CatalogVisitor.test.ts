import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import * as net from "node:net"
import { Flags } from "../../src/flags/Flags.ts"
import { newKey, newPerson } from "../contract/ContractTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"

const path = "/v1/catalog?city=Berlin"
const statusFor = (options: Parameters<typeof request>[2]) =>
  Effect.map(request("GET", path, options), ({ status }) => status)

layer(TestApp.layer({ RATE_LIMIT_PER_MINUTE: "20" }), { excludeTestServices: true })(
  "A visitor of the catalog",
  (it) => {
    it.effect("with valid credentials has the flags of the account", () =>
      Effect.gen(function* () {
        const person = yield* newPerson
        const key = yield* newKey(person.session, ["orders:read"])
        yield* (yield* Flags).set("isp.city.enable", person.id, false)
        assert.strictEqual(yield* statusFor({ user: person.session }), 403)
        assert.strictEqual(yield* statusFor({ key }), 403)
        assert.strictEqual(yield* statusFor({}), 200)
        assert.strictEqual(yield* statusFor({ user: "no.token" }), 200)
        assert.strictEqual(yield* statusFor({ key: "prk_unknown" }), 200)
      })
    )

    it.effect("who sends a long body with the request is disconnected after the answer", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* request("GET", "/v1/catalog")).status, 200)
        const port = yield* HttpServer.addressFormattedWith((url) => Effect.succeed(Number(new URL(url).port)))
        const chunk = `8000\r\n${"x".repeat(0x8000)}\r\n`
        const answered = yield* Effect.callback<string>((resume) => {
          let text = ""
          const socket = net.connect(port, "127.0.0.1", () => {
            socket.write("GET /v1/catalog HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            // The body has no end: only the server ends this connection.
            const sendOn = () => void socket.write(chunk, (error) => (error ? undefined : sendOn()))
            sendOn()
          })
          socket.on("data", (data) => (text += String(data)))
          socket.on("error", () => {}).on("close", () => resume(Effect.succeed(text)))
        })
        assert.match(answered, /^HTTP\/1\.1 200 /)
      })
    )

    it.effect("counts toward the rate limit of the account, or of the address without credentials", () =>
      Effect.gen(function* () {
        const person = yield* newPerson
        while ((yield* statusFor({ user: person.session })) !== 429);
        assert.strictEqual((yield* request("GET", "/v1/wallet", { user: person.session })).status, 429)
        assert.strictEqual(yield* statusFor({}), 200)
      })
    )
  }
)
