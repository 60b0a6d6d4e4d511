import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Mailer } from "../../../src/platform/mail/Mailer.ts"
import { Sender } from "../../../src/platform/mail/Sender.ts"
import * as SmtpServer from "../../support/SmtpServer.ts"

const mail = { to: "ada@example.com", subject: "Hello", text: "First line\nÜber" }

const send = (env: Record<string, string>, sender: Sender = { name: "Acme Proxies" }) =>
  Effect.flatMap(Mailer, (mailer) => mailer.send(mail)).pipe(
    Effect.provide(
      Mailer.layer.pipe(
        Layer.provide([ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)), Layer.succeed(Sender, sender)])
      ),
      { local: true }
    )
  )

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "mailer-test-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true }))
)

const nameAt = (millis: number) => `${new Date(millis).toISOString().replaceAll(":", "-")}-${randomUUID()}.txt`

describe("Mailer", () => {
  it.live("hands mail to the SMTP server", () =>
    Effect.gen(function* () {
      const { env, received } = yield* SmtpServer.start()
      yield* send({ ...env, DATA_DIR: yield* folder })
      assert.includeMembers(received, [
        "MAIL FROM:<no-reply@example.com>",
        "RCPT TO:<ada@example.com>",
        "From: Proxies <no-reply@example.com>",
        "To: ada@example.com",
        "Subject: Hello",
        "First line",
        "=C3=9Cber"
      ])
    })
  )

  it.live("sends more headers unchanged, however long", () =>
    Effect.gen(function* () {
      const { env, received } = yield* SmtpServer.start()
      const url = `https://proxies.example.com/app/unsubscribe?code=${randomUUID()}`
      yield* Mailer.use((mailer) =>
        mailer.send({
          ...mail,
          headers: { "List-Unsubscribe": `<${url}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }
        })
      ).pipe(
        Effect.provide(
          Mailer.layer.pipe(
            Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ ...env, DATA_DIR: yield* folder })))
          ),
          { local: true }
        )
      )
      assert.match(received.join("\n"), new RegExp(`List-Unsubscribe:\\s+<${url.replace(/[.?]/g, "\\$&")}>`))
      assert.include(received, "List-Unsubscribe-Post: List-Unsubscribe=One-Click")
    })
  )

  const brand = { name: "Acme Proxies", address: "hello@acme.example" }
  it.live.each([
    ["no-reply@example.com", "Acme Proxies <no-reply@example.com>"],
    ["Proxies <no-reply@example.com>", "Proxies <no-reply@example.com>"],
    [undefined, "Acme Proxies <hello@acme.example>"]
  ] as const)("completes the sender of MAIL_FROM %j with the brand's: %s", ([MAIL_FROM, sender]) =>
    Effect.gen(function* () {
      const { env, received } = yield* SmtpServer.start()
      const { SMTP_URL } = env
      yield* send({ SMTP_URL, ...(MAIL_FROM !== undefined && { MAIL_FROM }), DATA_DIR: yield* folder }, brand)
      assert.include(received, `From: ${sender}`)
      assert.include(received, `MAIL FROM:${/<.*>/.exec(sender)?.[0]}`)
    })
  )

  it.live.each([
    ["450 mailbox busy", false],
    ["550 no such person", true]
  ] as const)("treats the refusal %j as permanent: %s", ([refusal, permanent]) =>
    Effect.gen(function* () {
      const { env } = yield* SmtpServer.start({ refusal })
      const error = yield* Effect.flip(send({ ...env, DATA_DIR: yield* folder }))
      assert.strictEqual(error._tag === "MailNotSent" && error.permanent, permanent)
      assert.include(String(error.message || JSON.stringify(error)), refusal.slice(0, 3))
    })
  )

  it.live("fails temporarily when there is no server, and knows that it got nothing", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        send({ SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "a@example.com", DATA_DIR: yield* folder })
      )
      assert.deepInclude(error, { _tag: "MailNotSent", permanent: false, uncertain: false })
    })
  )

  it.live("does not know what happened when the server goes away after the text", () =>
    Effect.gen(function* () {
      const { env, received } = yield* SmtpServer.start({ isLost: true })
      const error = yield* Effect.flip(send({ ...env, DATA_DIR: yield* folder }))
      assert.deepInclude(error, { _tag: "MailNotSent", permanent: false, uncertain: true })
      assert.lengthOf(
        received.filter((line) => line === "DATA"),
        1
      )
    })
  )

  it.live("knows that a server got nothing when it refuses the sign-in", () =>
    Effect.gen(function* () {
      const { env, port } = yield* SmtpServer.start({ password: "right" })
      const SMTP_URL = `smtp://name:wrong@127.0.0.1:${port}`
      const error = yield* Effect.flip(send({ ...env, SMTP_URL, DATA_DIR: yield* folder }))
      assert.deepInclude(error, { _tag: "MailNotSent", uncertain: false })
    })
  )

  it.live("writes mail to a file that only its own account can read when no server is configured", () =>
    Effect.gen(function* () {
      const directory = join(yield* folder, "data")
      yield* send({ DATA_DIR: directory })
      const [name = ""] = yield* Effect.promise(() => readdir(join(directory, "mail")))
      const file = join(directory, "mail", name)
      assert.strictEqual(
        yield* Effect.promise(() => readFile(file, "utf8")),
        "To: ada@example.com\nSubject: Hello\n\nFirst line\nÜber\n"
      )
      assert.strictEqual((yield* Effect.promise(() => stat(file))).mode & 0o777, 0o600)
    })
  )

  it.live("keeps the newest 1,000 files for a week, and never removes files of others", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const mails = join(directory, "mail")
      const now = Date.now()
      const old = [8, 30].map((days) => nameAt(now - days * 86_400_000))
      const recent = Array.from({ length: 1100 }, (_, n) => nameAt(now - 60_000 + n))
      yield* Effect.promise(async () => {
        await mkdir(mails)
        for (const name of [...old, ...recent, "notes.txt"]) await writeFile(join(mails, name), "")
      })
      yield* send({ DATA_DIR: directory })
      const left = yield* Effect.promise(() => readdir(mails))
      assert.lengthOf(left, 1001)
      assert.include(left, "notes.txt")
      assert.includeMembers(left, recent.slice(-999))
    })
  )

  it.live.each([
    [{ SMTP_URL: "ftp://user:hunter2@mail.example.com", MAIL_FROM: "a@example.com" }, "SMTP_URL"],
    [{ SMTP_URL: "smtp://user:hunter2@mail.example.com" }, "MAIL_FROM is missing: SMTP_URL is set"]
  ] as const)("names the variable but no secret when the configuration is wrong: %j", ([env, reason]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(send({ ...env, DATA_DIR: yield* folder }))
      assert.include(String(error), reason)
      assert.notInclude(String(error), "hunter2")
    })
  )
})
