import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { signatureExamples } from "../../src/dashboard/webhooks/SignatureExamples.ts"
import { sign } from "../../src/webhooks/WebhookSignature.ts"

const secret = `whsec_${"3f9a".repeat(16)}`
const body = '{"data":{"note":"ü"}}'
const now = Math.floor(Date.now() / 1000)

interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const delivery = ({ key = secret, timestamp = now }: { key?: string; timestamp?: number } = {}): Delivery => {
  const delivery_id = randomUUID()
  return {
    body,
    headers: {
      "X-Service-Delivery-Id": delivery_id,
      "X-Service-Timestamp": String(timestamp),
      "X-Service-Signature": sign({ secret: key, timestamp, delivery_id, body })
    }
  }
}

const good = delivery()
const other = delivery({ key: "whsec_other" })

/** A rotation: the first signature is with the old secret. */
const rotated: Delivery = {
  body,
  headers: {
    ...good.headers,
    "X-Service-Signature": "v1=00",
    "X-Service-Signature-Alternate": good.headers["X-Service-Signature"] ?? ""
  }
}

const cases: ReadonlyArray<readonly [Delivery, boolean]> = [
  [good, true],
  [rotated, true],
  [delivery({ timestamp: now - 290 }), true],
  [delivery({ timestamp: now - 310 }), false],
  [delivery({ timestamp: now + 310 }), false],
  [other, false],
  [{ ...good, body: `${body} ` }, false],
  [{ ...good, headers: { ...good.headers, "X-Service-Delivery-Id": randomUUID() } }, false],
  [{ ...good, headers: { ...good.headers, "X-Service-Timestamp": "soon" } }, false],
  [{ ...good, headers: {} }, false]
]

const verdicts = cases.map(([, isGenuine]) => isGenuine)
const deliveries = cases.map(([delivery]) => delivery)

/** PHP is no part of the tools of this project, so its example runs only where it is installed. */
const php = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "php"))
  .find(existsSync)

describe("the examples that verify a signature", () => {
  it("work in Node.js", async () => {
    const module = `data:text/javascript,${encodeURIComponent(signatureExamples.node)}`
    const { isGenuine } = await import(/* @vite-ignore */ module)
    const said = deliveries.map(({ body, headers }) => {
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
      return isGenuine(lower, Buffer.from(body), secret)
    })
    assert.deepStrictEqual(said, verdicts)
  })

  it("work in Python", () => {
    const program = `${signatureExamples.python}
import json, sys
said = [is_genuine(one["headers"], one["body"].encode(), ${JSON.stringify(secret)}) for one in json.load(sys.stdin)]
print(json.dumps(said))
`
    const said = execFileSync("python3", ["-c", program], { input: JSON.stringify(deliveries), encoding: "utf8" })
    assert.deepStrictEqual(JSON.parse(said), verdicts)
  })

  it.skipIf(php === undefined)("work in PHP", () => {
    const program = `${signatureExamples.php.replace("<?php", "")}
$said = [];
foreach (json_decode(stream_get_contents(STDIN), true) as $one) {
  $server = [];
  foreach ($one["headers"] as $name => $value) $server["HTTP_" . strtoupper(str_replace("-", "_", $name))] = $value;
  $said[] = isGenuine($server, $one["body"], ${JSON.stringify(secret)});
}
echo json_encode($said);
`
    const said = execFileSync(php ?? "", ["-r", program], { input: JSON.stringify(deliveries), encoding: "utf8" })
    assert.deepStrictEqual(JSON.parse(said), verdicts)
  })
})
