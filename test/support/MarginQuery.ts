import * as fs from "node:fs"

const page = fs.readFileSync(new URL("../../docs/providers.md", import.meta.url), "utf8")
const [, section = ""] = page.split("\n## Costs and margin\n")
const [, text = ""] = /```sql\n(.*?)```/s.exec(section) ?? []

/** The query of the margin in docs/providers.md, for the sales since another day. */
export const marginSince = (day: string) => {
  const changed = text.replace("'2026-11-01'", `'${day}'`)
  if (changed === text) throw new Error("docs/providers.md has no query of the margin since 2026-11-01")
  return changed
}
