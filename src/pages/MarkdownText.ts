import type { Block, Inline } from "../brand/Markdown.ts"
import { type Html, html } from "./Html.ts"

const part = (inline: Inline): Html => {
  switch (inline._tag) {
    case "Text":
      return html`${inline.text}`
    case "Strong":
      return html`<strong>${inline.text}</strong>`
    case "Emphasis":
      return html`<em>${inline.text}</em>`
    case "Code":
      return html`<code>${inline.text}</code>`
    case "Link":
      return html`<a href="${inline.href}">${inline.text}</a>`
    case "Break":
      return html`<br />`
  }
}

const item = (content: ReadonlyArray<Inline>): Html => html`<li>${content.map(part)}</li>`

const block = (block: Block): Html => {
  switch (block._tag) {
    case "Heading":
      return html`<h2>${block.content.map(part)}</h2>`
    case "Subheading":
      return html`<h3>${block.content.map(part)}</h3>`
    case "Paragraph":
      return html`<p>${block.content.map(part)}</p>`
    case "List":
      return html`<ul class="text">
        ${block.items.map(item)}
      </ul>`
    case "Numbered":
      return html`<ol class="text" start="${block.start}">
        ${block.items.map(item)}
      </ol>`
  }
}

/** A text of the brand as a part of a page. */
export const markdownText = (blocks: ReadonlyArray<Block> = []): ReadonlyArray<Html> => blocks.map(block)
