import { ts } from "@ts-morph/common"
import { readFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { fileURLToPath } from "node:url"

// Starts `Main.ts`. Node runs TypeScript, but not decorators and their type metadata, which NestJS needs. So the compiler
// translates the files of this folder while they load.

const folder = new URL("./", import.meta.url).href

registerHooks({
  load: (url, context, nextLoad) => {
    if (!url.startsWith(folder)) return nextLoad(url, context)
    const { outputText } = ts.transpileModule(readFileSync(fileURLToPath(url), "utf8"), {
      compilerOptions: {
        target: ts.ScriptTarget.ESNext,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        experimentalDecorators: true,
        emitDecoratorMetadata: true
      }
    })
    return { format: "module", source: outputText, shortCircuit: true }
  }
})

await import("./Main.ts")
