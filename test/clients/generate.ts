import * as fs from "node:fs"
import { registerHooks } from "node:module"

/**
 * Two of the generators print with the compiler's JavaScript API, which `typescript` has up to version 6; this is
 * version 6.
 */
const compiler = import.meta.resolve("@ts-morph/common/dist/typescript.js")
registerHooks({
  resolve: (specifier, context, next) => next(specifier === "typescript" ? compiler : specifier, context)
})

/** The document, the address of its service, and the directory for the clients of three generators. */
const [document = "", url = "", directory = ""] = process.argv.slice(2)

const { astToString, default: openapiTypescript } = await import("openapi-typescript")
const { createClient } = await import("@hey-api/openapi-ts")
const { generate } = await import("orval")

fs.mkdirSync(directory)
const types = await openapiTypescript(JSON.parse(fs.readFileSync(document, "utf8")))
fs.writeFileSync(`${directory}/openapi.ts`, astToString(types))
await createClient({ input: document, output: `${directory}/hey-api`, logs: { level: "silent" } })
const orval = (target: string, client: "fetch" | "zod") =>
  generate({ input: document, output: { target: `${directory}/${target}`, client, baseUrl: url } })
await orval("orval.ts", "fetch")
await orval("orval.zod.ts", "zod")
