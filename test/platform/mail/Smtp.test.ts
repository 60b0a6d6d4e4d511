import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Smtp from "../../../src/platform/mail/Smtp.ts"
import { silentPort } from "../../support/SilentListener.ts"
import * as SmtpServer from "../../support/SmtpServer.ts"

const login = (url: string) => Smtp.login(Redacted.make(url))

describe("A login at the mail server", () => {
  it.live("succeeds with the right password, and sends nothing", () =>
    Effect.gen(function* () {
      const { port, received } = yield* SmtpServer.start({ password: "hunter2" })
      yield* login(`smtp://shop:hunter2@127.0.0.1:${port}`)
      assert.isTrue(received.some((line) => line.startsWith("AUTH PLAIN ")))
      assert.isFalse(received.some((line) => line.startsWith("MAIL")))
    })
  )

  it.live("fails with a wrong password, and the reason has no secret", () =>
    Effect.gen(function* () {
      const { port } = yield* SmtpServer.start({ password: "hunter2" })
      const { permanent, reason } = yield* Effect.flip(login(`smtp://shop:hunter3@127.0.0.1:${port}`))
      assert.isTrue(permanent)
      assert.include(reason, "535 wrong password")
      assert.notInclude(reason, "hunter3")
    })
  )

  it.live("fails when no server listens", () =>
    Effect.gen(function* () {
      assert.include((yield* Effect.flip(login("smtp://127.0.0.1:1"))).reason, "ECONNREFUSED")
    })
  )

  it.effect("ends when the server says nothing", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(silentPort)
      const fiber = yield* Effect.forkChild(Effect.flip(login(`smtp://127.0.0.1:${port}`)))
      yield* TestClock.adjust("20 seconds")
      assert.include((yield* Fiber.join(fiber)).reason, "did not answer within 20 seconds")
    })
  )
})
