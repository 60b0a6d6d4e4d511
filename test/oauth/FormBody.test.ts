import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parse } from "../../src/oauth/FormBody.ts"
import type { OAuthRefused } from "../../src/oauth/OAuthErrors.ts"
import * as Parameters from "../../src/oauth/Parameters.ts"

const form = "application/x-www-form-urlencoded"

const outcome = (parsed: Result.Result<Parameters.Parameters, OAuthRefused>) =>
  Result.match(parsed, { onFailure: ({ error }) => error, onSuccess: (form) => Object.fromEntries(form) })

const read = (body: string, contentType: string | undefined = form) => outcome(parse(contentType, body))

describe("A form of an OAuth request", () => {
  it("is decoded, whatever the case and the parameters of its content type", () => {
    assert.deepStrictEqual(read("a=1%2B1&b=x+y&c=%E2%82%AC", "Application/X-WWW-Form-Urlencoded ; charset=UTF-8"), {
      a: "1+1",
      b: "x y",
      c: "€"
    })
  })

  it("counts a parameter without a value as absent", () => {
    assert.deepStrictEqual(read("a=&b&c=1"), { c: "1" })
    assert.deepStrictEqual(read(""), {})
  })

  it("may have each parameter once, also an empty one", () => {
    for (const body of ["a=1&a=2", "a=1&a=1", "a=&a=1", "a=1&b=2&%61=3"])
      assert.strictEqual(read(body), "invalid_request", body)
  })

  it("may not have a null byte, which PostgreSQL cannot store", () => {
    assert.strictEqual(read("a=1%00"), "invalid_request")
  })

  it("must have its content type", () => {
    for (const type of ["application/json", "multipart/form-data; boundary=x", "text/plain", "", `${form}x`])
      assert.strictEqual(read("a=1", type), "invalid_request", type)
    assert.strictEqual(outcome(parse(undefined, "a=1")), "invalid_request")
  })
})

describe("A required parameter", () => {
  it("is named when it is missing", () => {
    const parameters = new Map([["code", "pac_1"]])
    assert.deepStrictEqual(Parameters.required(parameters, "code"), Result.succeed("pac_1"))
    const missing = Parameters.required(parameters, "client_id")
    assert.strictEqual(Result.isFailure(missing) && missing.failure.description, "Send the parameter client_id")
  })
})
