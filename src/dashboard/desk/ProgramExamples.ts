import { codeExamples } from "../../pages/CodeExamples.ts"
import type { Html } from "../../pages/Html.ts"

/** Stands in the examples where the reader writes a key. */
export const keyPlaceholder = "YOUR_API_KEY"

/** Programs that print the address of each active proxy of an account. They need no package. */
const programsWith = (
  baseUrl: string,
  key: string
): ReadonlyArray<{ readonly name: string; readonly code: string }> => [
  {
    name: "curl",
    code: `curl '${baseUrl}/orders?proxy_status=active' -H 'X-API-Key: ${key}'`
  },
  {
    name: "Node.js",
    code: `const response = await fetch("${baseUrl}/orders?proxy_status=active", {
  headers: { "x-api-key": "${key}" }
})
if (!response.ok) throw new Error(await response.text())
const { orders } = await response.json()
for (const { proxy_access } of orders)
  for (const { host, port, username, password } of proxy_access)
    console.log(\`\${host}:\${port}:\${username}:\${password}\`)`
  },
  {
    name: "Python",
    code: `import json
from urllib.request import Request, urlopen

request = Request("${baseUrl}/orders?proxy_status=active", headers={"X-API-Key": "${key}"})
for order in json.load(urlopen(request))["orders"]:
    for proxy in order["proxy_access"]:
        print("{host}:{port}:{username}:{password}".format(**proxy))`
  }
]

/** Examples in several languages that use the API at this address with a key. */
export const programExamples = (baseUrl: string, key: string): Html => codeExamples("code", programsWith(baseUrl, key))
