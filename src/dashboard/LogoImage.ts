import type { SvgElement } from "../brand/Logo.ts"
import { type Html, escaped } from "./Html.ts"

const attributesOf = ({ attributes }: SvgElement): ReadonlyArray<Html> =>
  attributes.map(([name, value]) => escaped` ${name}="${value}"`)

const element = (svg: SvgElement): Html =>
  escaped`<${svg.name}${attributesOf(svg)}>${svg.children.map(element)}</${svg.name}>`

/** The logo inside the page. Screen readers read `label`; without it, they leave the logo out. */
export const logo = (svg: SvgElement, label: string | undefined): Html =>
  escaped`<svg${attributesOf(svg)}${label === undefined ? escaped` aria-hidden="true"` : escaped` role="img" aria-label="${label}"`}>${svg.children.map(element)}</svg>`
