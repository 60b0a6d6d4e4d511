import { assert, it } from "@effect/vitest"
import { deviceOf } from "../../../src/accounts/sessions/Device.ts"

const windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
const iPhone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
const android = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko)"

it("A User-Agent names its browser and its system", () => {
  for (const [user_agent, browser, system] of [
    [`${windows} Chrome/156.0.0.0 Safari/537.36`, "Chrome", "Windows"],
    [`${windows} Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0`, "Edge", "Windows"],
    [`${windows} Chrome/156.0.0.0 Safari/537.36 OPR/140.0.0.0`, "Opera", "Windows"],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox", "Linux"],
    ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.5 Safari/605.1.15", "Safari", "macOS"],
    [`${iPhone} Version/18.5 Mobile/15E148 Safari/604.1`, "Safari", "iOS"],
    [`${iPhone} CriOS/156.0.0.0 Mobile/15E148 Safari/604.1`, "Chrome", "iOS"],
    ["Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) FxiOS/140.0 Mobile/15E148", "Firefox", "iPadOS"],
    [`${android} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`, "Samsung Internet", "Android"],
    ["Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) Chrome/156.0.0.0 Safari/537.36", "Chrome", "ChromeOS"],
    ["curl/8.14.1", "curl", null],
    ["python-requests/2.32.4", "Python", null],
    ["node", "Node.js", null],
    ["Go-http-client/1.1", "Go", null],
    ["<script>alert(1)</script>", null, null],
    ["", null, null],
    [null, null, null]
  ] as const)
    assert.deepStrictEqual(deviceOf(user_agent), { browser, system }, user_agent ?? "null")
})

it("A long User-Agent that fits no pattern takes no long time", () => {
  const started = performance.now()
  for (const part of ["Version/1.", "Version/1 ", "Mozilla/5.0 ("]) deviceOf(part.repeat(400).slice(0, 400))
  assert.isBelow(performance.now() - started, 100)
})
