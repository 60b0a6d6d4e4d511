import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as RedirectUri from "../../src/oauth/RedirectUri.ts"

describe("a redirect URI that may be registered", () => {
  it.each([
    "https://app.example/callback",
    "https://app.example",
    "HTTPS://App.Example:8443/callback?tenant=a%20b",
    "https://[2606:4700:4700::1111]/callback",
    "https://xn--bcher-kva.example/",
    `https://app.example/${"a".repeat(2028)}`,
    "http://127.0.0.1/callback",
    "http://127.0.0.1:3000/callback?a=b",
    "http://[::1]:3000/callback",
    "http://localhost",
    "http://localhost:65535/oauth/callback"
  ])("of a web client: %s", (uri) => {
    assert.isUndefined(RedirectUri.faultOf(uri, "web"))
    assert.isUndefined(RedirectUri.faultOf(uri, "native"))
  })

  it.each([
    "com.example.app:/callback",
    "com.example.app://callback",
    "com.googleusercontent.apps.123-abc:/oauth2redirect"
  ])("of a native client only: %s", (uri) => {
    assert.isUndefined(RedirectUri.faultOf(uri, "native"))
    assert.match(RedirectUri.faultOf(uri, "web") ?? "", /application_type native/)
  })
})

describe("a redirect URI that is refused", () => {
  it.each([
    ["no URI", ""],
    ["no URI", "callback"],
    ["a path", "/callback"],
    ["no scheme", "//app.example/callback"],
    ["2049 characters", `https://app.example/${"a".repeat(2029)}`],
    ["a fragment", "https://app.example/callback#part"],
    ["an empty fragment", "https://app.example/callback#"],
    ["an empty fragment on loopback", "http://127.0.0.1/callback#"],
    ["a fragment behind a private-use scheme", "com.example.app:/callback#"],
    ["a username", "https://user@app.example/callback"],
    ["an empty username", "https://@app.example/callback"],
    ["a password", "https://user:secret@app.example/callback"],
    ["a host that is user info", "https://app.example:443@evil.example/"],
    ["user info on loopback", "http://127.0.0.1:80@evil.example/"],
    ["user info behind a private-use scheme", "com.example.app://user@callback"],
    ["no host", "https://"],
    ["no host but a path", "https:///app.example/callback"],
    ["no host but a port", "https://:443/callback"],
    ["no slashes", "https:app.example/callback"],
    ["one slash", "https:/app.example/callback"],
    ["an impossible port", "https://app.example:65536/callback"],
    ["an impossible port on loopback", "http://127.0.0.1:65536/callback"],
    ["a number as its host", "https://2130706433/callback"],
    ["an encoded host", "https://evil%2eexample/callback"],
    ["a wildcard", "https://*"],
    ["http elsewhere", "http://app.example/callback"],
    ["http to a name that begins like loopback", "http://127.0.0.1.nip.io/callback"],
    ["http to a name that begins like localhost", "http://localhost.evil.example/callback"],
    ["http to a name that ends like localhost", "http://evil-localhost/callback"],
    ["http to localhost with a dot", "http://localhost./callback"],
    ["http to short loopback", "http://127.1/callback"],
    ["http to decimal loopback", "http://2130706433/callback"],
    ["http to octal loopback", "http://0177.0.0.1/callback"],
    ["http to another loopback address", "http://127.0.0.2/callback"],
    ["http to any address", "http://0.0.0.0/callback"],
    ["http to mapped loopback", "http://[::ffff:127.0.0.1]/callback"],
    ["http to long loopback", "http://[0:0:0:0:0:0:0:1]/callback"],
    ["a backslash", "https://app.example\\@evil.example/"],
    ["backslashes for slashes", "https:\\\\app.example/"],
    ["a backslash behind loopback", "http://127.0.0.1\\.evil.example/"],
    ["a tab", "https://app.\texample/"],
    ["a line end", "https://app.example/\r\nSet-Cookie: a=b"],
    ["a leading space", " https://app.example/"],
    ["a trailing line end", "https://app.example/\n"],
    ["a NUL", "https://app.example/\u0000"],
    ["a quote", 'https://app.example/"onload="'],
    ["an angle bracket", "https://app.example/<script>"],
    ["a letter that looks like another", "https://\u0430pp.example/callback"],
    ["javascript", "javascript:alert(1)"],
    ["javascript in capitals", "JavaScript://app.example/%0aalert(1)"],
    ["data", "data:text/html,hello"],
    ["file", "file:///etc/passwd"],
    ["about", "about:blank"],
    ["blob", "blob:https://app.example/1"],
    ["ws", "ws://127.0.0.1/callback"],
    ["wss", "wss://app.example/callback"],
    ["ftp", "ftp://app.example/callback"],
    ["mailto", "mailto:user@app.example"],
    ["urn", "urn:ietf:wg:oauth:2.0:oob"],
    ["intent", "intent://callback"],
    ["view-source", "view-source:https://app.example"],
    ["a private-use scheme without a dot", "myapp:/callback"],
    ["a private-use scheme that ends with a dot", "myapp.:/callback"],
    ["a host and port that read as a scheme", "app.example:8080/callback"]
  ])("%s: %s", (_, uri) => {
    assert.isString(RedirectUri.faultOf(uri, "native"))
    assert.isString(RedirectUri.faultOf(uri, "web"))
  })
})

describe("a redirect URI of a request", () => {
  it.each([
    ["the registered one", "https://app.example/callback?a=b", "https://app.example/callback?a=b"],
    ["another port of 127.0.0.1", "http://127.0.0.1/callback", "http://127.0.0.1:49152/callback"],
    ["no port of 127.0.0.1", "http://127.0.0.1:3000/callback", "http://127.0.0.1/callback"],
    ["another port of [::1]", "http://[::1]:1/callback?a=b", "http://[::1]:2/callback?a=b"],
    ["another port of localhost", "http://localhost:1", "http://LOCALHOST:2"],
    ["a private-use scheme", "com.example.app:/callback", "com.example.app:/callback"]
  ])("matches: %s", (_, registered, given) => {
    assert.isTrue(RedirectUri.matches(registered, given))
  })

  it.each([
    ["another path", "https://app.example/callback", "https://app.example/callback/"],
    ["a path below", "https://app.example/callback", "https://app.example/callback/evil"],
    ["a path that leads back", "https://app.example/callback", "https://app.example/x/../callback"],
    ["a parameter more", "https://app.example/callback", "https://app.example/callback?a=b"],
    ["a fragment more", "https://app.example/callback", "https://app.example/callback#a"],
    ["another port of https", "https://app.example/callback", "https://app.example:444/callback"],
    ["the default port, spelled out", "https://app.example/callback", "https://app.example:443/callback"],
    ["another host", "https://app.example/callback", "https://app.example.evil.example/callback"],
    ["other letters", "https://app.example/callback", "https://App.example/callback"],
    ["another encoding", "https://app.example/callback", "https://app.example/%63allback"],
    ["another path on loopback", "http://127.0.0.1/callback", "http://127.0.0.1:1/evil"],
    ["another query on loopback", "http://127.0.0.1/callback?a=b", "http://127.0.0.1:1/callback?a=c"],
    ["another loopback host", "http://127.0.0.1/callback", "http://localhost:1/callback"],
    ["https on loopback", "http://127.0.0.1/callback", "https://127.0.0.1/callback"],
    ["https to loopback by another port", "https://localhost:1/callback", "https://localhost:2/callback"],
    ["a name that begins like loopback", "http://127.0.0.1/callback", "http://127.0.0.1.nip.io/callback"],
    ["user info", "http://127.0.0.1/callback", "http://127.0.0.1:1@evil.example/callback"],
    ["an impossible port", "http://127.0.0.1/callback", "http://127.0.0.1:65536/callback"],
    ["no port behind the colon", "http://127.0.0.1/callback", "http://127.0.0.1:/callback"],
    ["a line end", "http://127.0.0.1/callback", "http://127.0.0.1:1/callback\r\n"],
    ["another private-use scheme", "com.example.app:/callback", "com.example.evil:/callback"]
  ])("does not match: %s", (_, registered, given) => {
    assert.isFalse(RedirectUri.matches(registered, given))
  })

  it.prop(
    "matches on every loopback port, and not with more text after the path",
    [Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 })), Schema.NonEmptyString],
    ([port, more]) => {
      const given = `http://127.0.0.1:${port}/callback`
      assert.isTrue(RedirectUri.matches("http://127.0.0.1/callback", given))
      assert.isTrue(RedirectUri.isLoopback(given))
      assert.isFalse(RedirectUri.matches("http://127.0.0.1/callback", given + more))
    }
  )

  it.prop("whatever may be registered, a browser takes to where it seems to lead", [Schema.String], ([text]) => {
    for (const uri of [`https://app.example${text}`, `https://${text}`, `http://127.0.0.1${text}`, text]) {
      if (RedirectUri.faultOf(uri, "web") !== undefined) continue
      const { hash, hostname, password, username } = new URL(uri)
      assert.deepStrictEqual([hash, username, password], ["", "", ""])
      assert.isTrue(uri.toLowerCase().startsWith(`https://${hostname}`) || RedirectUri.isLoopback(uri), uri)
    }
  })
})
