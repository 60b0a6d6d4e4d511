import { assert, describe, it } from "@effect/vitest"
import { Result, Schema, SchemaIssue } from "effect"
import { OutboundUrl } from "../../../src/platform/outbound/OutboundUrl.ts"

const decode = Schema.decodeUnknownResult(OutboundUrl)
const format = SchemaIssue.makeFormatterStandardSchemaV1()
const problemOf = (text: string) =>
  Result.match(decode(text), { onSuccess: () => undefined, onFailure: ({ issue }) => format(issue).issues[0]?.message })

describe("A URL for outbound requests", () => {
  it.each([
    "https://example.com",
    "HTTPS://Example.com:8443/hooks?key=a%20b#part",
    "https://[2606:4700:4700::1111]/",
    "https://bücher.example/@user/https://x",
    "http://127.0.0.1:9000/",
    `https://example.com/${"a".repeat(2028)}`
  ])("stays as it was written: %s", (text) => {
    assert.deepStrictEqual(decode(text), Result.succeed(text))
  })

  it.each([
    ["", /1 to 2048 characters/],
    [`https://example.com/${"a".repeat(2029)}`, /1 to 2048 characters/],
    ["https://example.com/\u0000", /NUL/],
    ["https://example.com/\ud800", /Unicode/],
    [" https://example.com", /spaces/],
    ["https://example.com/a b", /spaces/],
    ["https://exam\tple.com", /control characters/],
    ["https://example.com/\r\nHost: a", /control characters/],
    ["https://example.com/\u0085", /control characters/],
    ["https://example.com\\@10.0.0.1", /backslashes/],
    ["https:\\\\example.com", /backslashes/],
    ["https:example.com", /https URL/],
    ["https:/example.com", /https URL/],
    ["https:///example.com", /https URL/],
    ["//example.com", /https URL/],
    ["example.com", /https URL/],
    ["ftp://example.com", /https URL/],
    ["file:///etc/passwd", /https URL/],
    ["javascript:alert(1)", /https URL/],
    ["https://user@example.com", /username or password/],
    ["https://:secret@example.com", /username or password/],
    ["https://@example.com", /username or password/],
    ["https://example.com:0", /port 0/],
    ["https://example.com:65536", /valid host and port/],
    ["https://:443", /valid host and port/],
    ["https://example.com.", /dot/],
    ["https://example.com.:8443/", /dot/],
    ["https://[::1%25eth0]", /valid host and port/],
    ["https://[::1", /valid host and port/],
    ["https://256.1.1.1", /valid host and port/],
    ["https://exa%00mple.com", /valid host and port/]
  ])("cannot be %j", (text, problem) => {
    assert.match(problemOf(text) ?? "accepted", problem)
  })
})
