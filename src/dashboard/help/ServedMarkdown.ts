import type { Token } from "marked"
import type { Addresses } from "../../platform/settings/Addresses.ts"
import { guideOfFile } from "./Guides.ts"

const local = /(ISSUER=)?http:\/\/localhost:8080(?:\/(v1|mcp|app|docs)\b)?/g

/** Replaces the addresses of a service on the reader's own machine by the addresses of this service. */
export const withAddresses = (markdown: string, addresses: Addresses["Service"]): string => {
  const { app_url, base_url, docs_url, issuer, mcp_url } = addresses
  const known: Readonly<Record<string, string>> = { v1: base_url, mcp: mcp_url, app: app_url, docs: docs_url }
  const { origin } = new URL(docs_url)
  return markdown.replace(local, (_, before: string | undefined, part: string | undefined) =>
    before === undefined ? (known[part ?? ""] ?? origin) : `${before}${issuer}`
  )
}

/**
 * Finds the address to which a link of a guide leads on the pages: another guide, a place of this one, or another site.
 * Undefined when the link leads to a file that is not served.
 */
export const targetOf = (href: string, guidesUrl: string): string | undefined => {
  if (/^[a-z][a-z\d+.-]*:/i.test(href)) return /^(?:https?|mailto):/i.test(href) ? href : undefined
  const [file = "", anchor] = href.split("#")
  const fragment = anchor === undefined ? "" : `#${anchor}`
  if (file === "") return fragment || undefined
  const guide = guideOfFile(file)
  return guide && `${guidesUrl}/${guide.name}${fragment}`
}

/** Removes each reference in brackets that leads to a file that is not served: `([gateway](gateway.md))`. */
export const withoutReferences = (markdown: string): string =>
  markdown.replace(/\s\(\[[^\]]*\]\(([^)\s]*)\)\)/g, (reference, href: string) =>
    targetOf(href, "") === undefined ? "" : reference
  )

/** Removes the sections for operators, each up to the next heading of its level. */
export const withoutOperators = (tokens: ReadonlyArray<Token>): ReadonlyArray<Token> => {
  let hidden = Infinity
  return tokens.filter((token) => {
    if (token.type === "heading") {
      const depth = Number(token["depth"])
      if (depth <= hidden) hidden = token["text"] === "For operators" ? depth : Infinity
    }
    return hidden === Infinity
  })
}
