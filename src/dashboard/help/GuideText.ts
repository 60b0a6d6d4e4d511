import type { MarkedToken, Token, Tokens } from "marked"
import { readFile } from "node:fs/promises"
import { copyButton } from "../../pages/Copying.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import type { Addresses } from "../../platform/settings/Addresses.ts"
import type { Guide } from "./Guides.ts"
import { targetOf, withAddresses, withoutOperators, withoutReferences } from "./ServedMarkdown.ts"

interface Section {
  readonly id: string
  readonly title: Content
}

/** A guide, ready for a page. */
export interface GuideText {
  readonly content: Html
  /** Its sections, for the table of contents. */
  readonly sections: ReadonlyArray<Section>
}

/** Makes the anchor of a heading as GitHub does. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

/** Makes the functions that write the inline tokens of a guide. Raw HTML is text. */
const makeInline = (guidesUrl: string) => {
  const link = ({ href, tokens }: Tokens.Link): Html => {
    const target = targetOf(href, guidesUrl)
    return target === undefined ? html`${inlines(tokens)}` : html`<a href="${target}">${inlines(tokens)}</a>`
  }

  const inline = (token: Token): Html => {
    const known = token as MarkedToken
    switch (known.type) {
      case "strong":
        return html`<strong>${inlines(known.tokens)}</strong>`
      case "em":
        return html`<em>${inlines(known.tokens)}</em>`
      case "del":
        return html`<del>${inlines(known.tokens)}</del>`
      case "codespan":
        return html`<code>${known.text}</code>`
      case "br":
        return html`<br />`
      case "link":
        return link(known)
      case "text":
        return known.tokens === undefined ? html`${known.text}` : html`${inlines(known.tokens)}`
      case "escape":
      case "image":
        return html`${known.text}`
      default:
        return html`${known.raw}`
    }
  }

  const inlines = (tokens: ReadonlyArray<Token>): ReadonlyArray<Html> => tokens.map(inline)

  return { inline, inlines }
}

const table = ({ header, rows }: Tokens.Table, inlines: ReturnType<typeof makeInline>["inlines"]): Html =>
  html`<div class="scroll" role="group" tabindex="0" aria-label="${text("guides.table")}">
    <table>
      <thead>
        <tr>
          ${header.map(({ tokens }) => html`<th scope="col">${inlines(tokens)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map(({ tokens }) => html`<td>${inlines(tokens)}</td>`)}
            </tr>`
        )}
      </tbody>
    </table>
  </div>`

/** Makes the function that writes the blocks of one guide, and collects its sections. */
const makeWriter = (guidesUrl: string) => {
  const anchors = new Map<string, number>()
  const sections: Array<Section> = []
  let examples = 0
  const { inline, inlines } = makeInline(guidesUrl)

  const heading = ({ depth, text: title, tokens }: Tokens.Heading): Html => {
    const anchor = anchorOf(title.replaceAll("`", ""))
    const count = anchors.get(anchor) ?? 0
    anchors.set(anchor, count + 1)
    const id = count === 0 ? anchor : `${anchor}-${count}`
    if (depth === 1) return html`<h1 id="${id}">${inlines(tokens)}</h1>`
    if (depth > 2) return html`<h3 id="${id}">${inlines(tokens)}</h3>`
    sections.push({ id, title: inlines(tokens) })
    return html`<h2 id="${id}">${inlines(tokens)}</h2>`
  }

  const code = ({ text: shown }: Tokens.Code): Html => {
    examples += 1
    const id = `example:${examples}`
    return html`<div class="example">
      <pre id="${id}">${shown}</pre>
      ${copyButton(id, text("guides.example"))}
    </div>`
  }

  const list = ({ items, ordered, start }: Tokens.List): Html => {
    const written = items.map(({ tokens }) => html`<li>${blocks(tokens)}</li>`)
    return ordered
      ? html`<ol class="text" start="${Number(start)}">
          ${written}
        </ol>`
      : html`<ul class="text">
          ${written}
        </ul>`
  }

  const block = (token: Token): Html => {
    const known = token as MarkedToken
    switch (known.type) {
      case "heading":
        return heading(known)
      case "paragraph":
        return html`<p>${inlines(known.tokens)}</p>`
      case "code":
        return code(known)
      case "table":
        return table(known, inlines)
      case "list":
        return list(known)
      case "blockquote":
        return html`<blockquote>${blocks(known.tokens)}</blockquote>`
      case "hr":
        return html`<hr />`
      case "space":
      case "def":
        return html``
      default:
        return inline(known)
    }
  }

  const blocks = (tokens: ReadonlyArray<Token>): ReadonlyArray<Html> => tokens.map(block)

  return { blocks, sections }
}

/** Writes the text of a guide for a page, with the addresses of this service. */
export const writeGuide = async (markdown: string, addresses: Addresses["Service"]): Promise<GuideText> => {
  // Loaded by the first guide that somebody reads, so that no start waits for it.
  const { lexer } = await import("marked")
  const tokens = withoutOperators(lexer(withoutReferences(withAddresses(markdown, addresses))))
  const { blocks, sections } = makeWriter(`${addresses.docs_url}/guides`)
  return { content: html`${blocks(tokens)}`, sections }
}

/** Reads a guide from `docs/`. */
export const readGuide = async ({ name }: Pick<Guide, "name">, addresses: Addresses["Service"]): Promise<GuideText> =>
  writeGuide(await readFile(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8"), addresses)
