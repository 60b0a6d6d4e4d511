import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Result } from "effect"
import * as ThrowAwayMail from "../../src/accounts/ThrowAwayMail.ts"

const settings = (DISPOSABLE_EMAIL: string) =>
  Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord({ DISPOSABLE_EMAIL }))

it.effect("An address of a throw-away provider is known by its domain or a domain above it", () =>
  Effect.gen(function* () {
    const isThrowAway = yield* ThrowAwayMail.makeIsThrowAway
    const known = yield* Effect.forEach(
      ["a@mailinator.com", "a@MAILINATOR.com", "a@x.y.mailinator.com", "a@gmail.com", "mailinator.com@example.com"],
      isThrowAway
    )
    assert.deepStrictEqual(known, [true, true, true, false, false])
  })
)

const outcome = (mode: string) =>
  Effect.flatMap(ThrowAwayMail.makeRefuse, (refuse) => Effect.result(refuse("a@mailinator.com"))).pipe(settings(mode))

it.effect("Only `block` refuses the address", () =>
  Effect.gen(function* () {
    const blocked = yield* outcome("block")
    assert.deepStrictEqual(Result.isFailure(blocked) && blocked.failure.detail[0]?.loc, ["body", "email"])
    for (const mode of ["allow", "verify"]) assert.isTrue(Result.isSuccess(yield* outcome(mode)))
  })
)
