import type { Brand } from "../brand/Brand.ts"
import { footer } from "./Footer.ts"
import { type Content, type Html, escaped } from "./Html.ts"
import { logo } from "./LogoImage.ts"

/** A page before the brand's head and foot are around it. */
export interface Page {
  readonly title: Content
  readonly content: Html
  readonly isWide: boolean
}

/** A page with one card in the middle. */
export const page = (title: Content, content: Html): Page => ({ title, content, isWide: false })

/** A wider page, for lists and long texts. */
export const widePage = (title: Content, content: Html): Page => ({ title, content, isWide: true })

const header = (brand: Brand): Html =>
  brand.logo === undefined
    ? escaped`<header class="brand">${brand.name}</header>`
    : escaped`<header class="brand own">${logo(brand.logo, brand.name_in_logo ? brand.name : undefined)}${brand.name_in_logo ? "" : brand.name}</header>`

/** Makes the function that writes the complete pages of a brand. `style` is the style of each page. */
export const makeDocument = (brand: Brand, style: Html, app_url: string) => {
  const head = header(brand)
  const foot = footer(brand, app_url)
  return ({ content, isWide, title }: Page): Html => escaped`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${brand.name}</title>
<style>${style}</style>
</head>
<body>
${head}
<main${isWide ? escaped` class="wide"` : ""}>${content}</main>
${foot}</body>
</html>
`
}
