import type { SvgElement } from "../brand/Logo.ts"
import { type Html, html } from "./Html.ts"

const attributesOf = ({ attributes }: SvgElement): ReadonlyArray<Html> =>
  attributes.map(([name, value]) => html` ${name}="${value}"`)

const element = (svg: SvgElement): Html =>
  html`<${svg.name}${attributesOf(svg)}>${svg.children.map(element)}</${svg.name}>`

/** The logo inside the page. Screen readers read `label`; without it, they leave the logo out. */
export const logo = (svg: SvgElement, label: string | undefined): Html =>
  html`<svg${attributesOf(svg)}${label === undefined ? html` aria-hidden="true"` : html` role="img" aria-label="${label}"`}>${svg.children.map(element)}</svg>`
