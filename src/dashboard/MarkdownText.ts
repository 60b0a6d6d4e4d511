import type { Block, Inline } from "../brand/Markdown.ts"
import { type Html, escaped } from "./Html.ts"

const part = (inline: Inline): Html => {
  switch (inline._tag) {
    case "Text":
      return escaped`${inline.text}`
    case "Strong":
      return escaped`<strong>${inline.text}</strong>`
    case "Emphasis":
      return escaped`<em>${inline.text}</em>`
    case "Code":
      return escaped`<code>${inline.text}</code>`
    case "Link":
      return escaped`<a href="${inline.href}">${inline.text}</a>`
    case "Break":
      return escaped`<br>`
  }
}

const item = (content: ReadonlyArray<Inline>): Html => escaped`<li>${content.map(part)}</li>`

const block = (block: Block): Html => {
  switch (block._tag) {
    case "Heading":
      return escaped`<h2>${block.content.map(part)}</h2>`
    case "Subheading":
      return escaped`<h3>${block.content.map(part)}</h3>`
    case "Paragraph":
      return escaped`<p>${block.content.map(part)}</p>`
    case "List":
      return escaped`<ul class="text">${block.items.map(item)}</ul>`
    case "Numbered":
      return escaped`<ol class="text" start="${block.start}">${block.items.map(item)}</ol>`
  }
}

/** A text of the brand as a part of a page. */
export const markdownText = (blocks: ReadonlyArray<Block> = []): ReadonlyArray<Html> => blocks.map(block)
