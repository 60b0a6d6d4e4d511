import { assert } from "@effect/vitest"
import type { Page } from "./Browser.ts"

const inline = "a|b|bdi|br|code|em|i|small|span|strong|time|u"

/** White space next to a tag that begins or ends a line. */
const besideBlocks = new RegExp(`\\s*(<(?!/?(?:${inline})\\b)[^>]*>)\\s*`, "g")

/** Markup without the white space that browsers do not show, so that the layout of a template does not matter. */
export const compact = (markup: string): string =>
  markup
    .replace(/\s*\/?>/g, ">")
    .replace(besideBlocks, "$1")
    .replace(/\s+/g, " ")
    .trim()

/** A page, or a part of it, contains some markup. */
export const assertShows = (markup: string, part: string, message?: string) =>
  assert.include(compact(markup), compact(part), message)

/** The policy of a page whose files come from `origin`, and whose forms may also lead to `formTargets`. */
const policyOf = (origin: string, formTargets: ReadonlyArray<string> = []): string =>
  `default-src 'none'; script-src ${origin}; style-src ${origin}; img-src ${origin}; connect-src 'self'; ` +
  `form-action ${["'self'", ...formTargets].join(" ")}; frame-ancestors 'none'; base-uri 'none'; ` +
  "require-trusted-types-for 'script'; trusted-types page"

/** The faults that a browser with the policy of pages would refuse: something inline, or a file of another origin. */
const refusedOf = (text: string, origin: string): ReadonlyArray<string> => {
  // Quoted values are data; they cannot begin a tag.
  const tags = Array.from(text.matchAll(/<([a-z][\w-]*)((?:[^">]|"[^"]*")*)>/gi))
  const loaded = tags.flatMap(([tag, name = "", attributes = ""]) => {
    const from =
      /\s(?:src|data)="([^"]*)"/.exec(attributes) ?? (name === "link" ? /\shref="([^"]*)"/.exec(attributes) : null)
    return from === null || from[1]?.startsWith(`${origin}/`) ? [] : [tag]
  })
  const inline = tags.flatMap(([tag, name = "", attributes = ""]) => {
    const names = attributes.replace(/"[^"]*"/g, '""')
    const isInline =
      /^(style|iframe|object|embed|base)$/i.test(name) ||
      /\s(style|srcdoc|on\w+)=/i.test(names) ||
      (/^script$/i.test(name) && !/\ssrc=/.test(names)) ||
      /="\s*(javascript|data):/i.test(attributes)
    return isInline ? [tag] : []
  })
  const scripts = Array.from(text.matchAll(/<script[^>]*>([^]*?)<\/script>/gi)).flatMap(([all, code = ""]) =>
    code.trim() === "" ? [] : [all]
  )
  return [...loaded, ...inline, ...scripts]
}

/** A page has the headers of all pages, and nothing that its policy would refuse. */
export const assertSafe = (
  { headers, text, url = "" }: Pick<Page, "headers" | "text"> & { readonly url?: string },
  origin: string,
  formTargets: ReadonlyArray<string> = []
) => {
  assert.deepInclude(
    headers,
    {
      "content-security-policy": policyOf(origin, formTargets),
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY"
    },
    url
  )
  assert.deepStrictEqual(refusedOf(text, origin), [], url)
}
