import * as fs from "node:fs"

const page = fs.readFileSync(new URL("../../docs/providers.md", import.meta.url), "utf8")
const [, section = ""] = page.split("\n## Costs and margin\n")
const [, text = ""] = /```sql\n(.*?)```/s.exec(section) ?? []

/** The query of the margin in docs/providers.md, for the sales since another day. */
export const marginSince = (day: string) => {
  const [before, after, ...more] = text.split("'2026-11-01'")
  if (after === undefined || more.length > 0) throw new Error("docs/providers.md has no query since one day")
  return `${before}'${day}'${after}`
}
