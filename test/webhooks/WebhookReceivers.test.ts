import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { OutboundHttp } from "../../src/platform/outbound/OutboundHttp.ts"
import { bodyOf } from "../../src/webhooks/WebhookPayload.ts"
import { WebhookSender } from "../../src/webhooks/WebhookSender.ts"
import { sign } from "../../src/webhooks/WebhookSignature.ts"
import { dueTo } from "./DueDeliveries.ts"

const docs = fileURLToPath(new URL("../../docs/", import.meta.url))
const read = (path: string) => readFileSync(`${docs}${path}`, "utf8")

const hasPython = spawnSync("python3", ["--version"]).status === 0

const { signing_secret: secret } = dueTo("")

const nextLine = (stream: Readable) => {
  const lines = createInterface(stream)[Symbol.asyncIterator]()
  return Effect.map(
    Effect.promise(() => lines.next()),
    ({ value }) => String(value)
  )
}

/** Runs the example of the docs until the scope closes. */
const run = Effect.fnUntraced(function* (command: string, file: string, known = secret) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(command, [`${docs}webhooks/${file}`], {
        env: { PATH: process.env.PATH, WEBHOOK_SECRET: known, PORT: "0" },
        stdio: ["ignore", "pipe", "pipe"]
      })
    ),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )
  const printed = nextLine(child.stdout)
  const complained = nextLine(child.stderr)
  const port = Number((yield* printed).split(" ")[1])
  return { port, url: `http://127.0.0.1:${port}/`, printed, complained }
})

const post = (url: string, headers: Record<string, string>, body: string) =>
  Effect.promise(async () => {
    const response = await fetch(url, { method: "POST", headers, body })
    await response.arrayBuffer()
    return response.status
  })

/** The answer to a request with an invalid length. */
const postWithoutLength = (port: number) =>
  Effect.promise(() =>
    text(connect(port, "127.0.0.1").end("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: abc\r\n\r\n"))
  )

/** A delivery as the service would make it now, or some seconds from now. */
const signed = (offset = 0) => {
  const delivery = dueTo("")
  const body = bodyOf(delivery)
  const timestamp = Math.floor(Date.now() / 1000) + offset
  const headers = {
    "X-Service-Delivery-Id": delivery.id,
    "X-Service-Timestamp": String(timestamp),
    "X-Service-Signature": sign({ secret, timestamp, delivery_id: delivery.id, body })
  }
  return { body, headers }
}

const { body, headers } = signed()
const forged: ReadonlyArray<readonly [string, Record<string, string>, string]> = [
  ["another status", headers, body.replace('"status":"expired"', '"status":"active"')],
  ["a space at its end", headers, `${body} `],
  ["another time", { ...headers, "X-Service-Timestamp": String(Number(headers["X-Service-Timestamp"]) + 1) }, body],
  ["another delivery", { ...headers, "X-Service-Delivery-Id": dueTo("").endpoint_id }, body],
  ["half a signature", { ...headers, "X-Service-Signature": headers["X-Service-Signature"].slice(0, 30) }, body],
  ["a signature beyond ASCII", { ...headers, "X-Service-Signature": "v1=\u00e9\u00b2" }, body],
  ["a time that is none", { ...headers, "X-Service-Timestamp": "\u00b2" }, body],
  ["a genuine signature of six minutes ago", signed(-360).headers, body],
  ["a genuine signature from six minutes ahead", signed(360).headers, body],
  ["no signature", {}, body],
  ["no body", headers, ""]
]

const live = WebhookSender.layer.pipe(
  Layer.provide(OutboundHttp.layerWith({ allow: { has: (endpoint) => endpoint.startsWith("127.0.0.1:") } }))
)

const examples = [
  ["Node", process.execPath, "receiver.mjs", "js", false],
  ["Python", "python3", "receiver.py", "python", !hasPython]
] as const

describe("the receivers of docs/webhooks", () => {
  it("docs/webhooks.md has an example that verifies", () => {
    const page = read("webhooks.md")
    const found = (pattern: RegExp) => pattern.exec(page)?.[1] ?? ""
    const body = found(/^(\{"data".+)$/m)
    assert.deepStrictEqual(JSON.parse(body), JSON.parse(found(/```json\n(.+?)```/s)))
    assert.strictEqual(
      sign({
        secret: found(/(whsec_[0-9a-f]{64})/),
        timestamp: Number(found(/^X-Service-Timestamp: (.+)$/m)),
        delivery_id: found(/^X-Service-Delivery-Id: (.+)$/m),
        body
      }),
      found(/^X-Service-Signature: (.+)$/m)
    )
  })

  for (const [language, command, file, fence, isMissing] of examples) {
    it(`docs/webhooks.md shows the one in ${language} as it is`, () => {
      assert.include(read("webhooks.md"), `\`\`\`${fence}\n${read(`webhooks/${file}`)}\`\`\`\n`)
    })

    layer(live, { excludeTestServices: true })((it) => {
      it.effect.skipIf(isMissing)(`the one in ${language} takes a delivery and refuses what is not one`, () =>
        Effect.gen(function* () {
          const { complained, port, printed, url } = yield* run(command, file)
          const { attempt } = yield* WebhookSender

          assert.deepInclude(yield* attempt(dueTo(url)), { status_code: 204, error: null })
          const { event } = dueTo(url)
          assert.strictEqual(yield* printed, `${event.id} ${event.order_id} active -> expired`)

          const other = { ...dueTo(url), signing_secret: secret.replace("3", "4") }
          assert.strictEqual((yield* attempt(other)).status_code, 401)
          assert.include(yield* complained, "Refused: the secret or the clock differs")
          assert.match(yield* postWithoutLength(port), /^HTTP\/1\.[01] 400 /)
          for (const [what, headers, body] of forged) {
            assert.strictEqual(yield* post(url, headers, body), 401, what)
          }
          const again = signed(-240)
          assert.strictEqual(yield* post(url, again.headers, again.body), 204, "four minutes ago")
        })
      )

      it.effect.skipIf(isMissing)(`the one in ${language} takes what is signed with its secret and another one`, () =>
        Effect.gen(function* () {
          const another = secret.replace("3", "4")
          for (const known of [secret, another]) {
            const { complained, url } = yield* run(command, file, known)
            const { attempt } = yield* WebhookSender
            const sent = { ...dueTo(url), signing_secret: another, previous_secret: secret }
            assert.deepInclude(yield* attempt(sent), { status_code: 204, error: null })
            const wrong = another.replace("9", "8")
            assert.strictEqual(
              (yield* attempt({ ...sent, previous_secret: wrong, signing_secret: wrong })).status_code,
              401
            )
            // The first rejected promise is the refusal: all accepted writes succeed immediately.
            assert.include(yield* complained, "Refused: the secret or the clock differs")
          }
        })
      )
    })
  }
})
