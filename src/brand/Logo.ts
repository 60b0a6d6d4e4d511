import { type BrandFault, lineAt } from "./BrandFault.ts"

/** An element of a logo. Its name and its attributes are on the lists below. */
export interface SvgElement {
  readonly name: string
  readonly attributes: ReadonlyArray<readonly [name: string, value: string]>
  readonly children: ReadonlyArray<SvgElement>
}

const elements = new Set(
  "svg g path rect circle ellipse line polyline polygon defs linearGradient radialGradient stop clipPath mask".split(
    " "
  )
)

const attributes = new Set(
  `id viewBox preserveAspectRatio d points x y x1 y1 x2 y2 cx cy r rx ry fx fy width height pathLength transform opacity
  color fill fill-opacity fill-rule stroke stroke-width stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray
  stroke-dashoffset stroke-opacity clip-path clip-rule mask offset stop-color stop-opacity gradientUnits
  gradientTransform spreadMethod clipPathUnits maskUnits maskContentUnits vector-effect`.split(/\s+/)
)

/** Elements without a picture. They are left out with everything in them. */
const silent = new Set(["title", "desc", "metadata"])

/** Attributes without an effect in a page. They are left out. */
const isNeedless = (name: string) => /^(version|baseProfile|xml:space|xmlns(:\w+)?|data-[\w-]+)$/.test(name)

/** The page chooses the size of the logo; a page has other elements with ids. */
const ofPage = new Set(["id", "x", "y", "width", "height"])

const functions = new Set("url rgb rgba hsl hsla matrix translate scale rotate skewX skewY".split(" "))

/** True for a value that refers to nothing outside the logo. */
const isPlain = (value: string): boolean =>
  /^[\w\s.,#%()+-]*$/.test(value) &&
  [...value.matchAll(/([\w-]*)\s*\(([^()]*)/g)].every(
    ([, name = "", given = ""]) => functions.has(name) && (name !== "url" || /^#[\w.-]+$/.test(given))
  )

/** Keeps the ids of the logo apart from the ids of the page. */
const own = (name: string, value: string): string =>
  name === "id" ? `logo-${value}` : value.replace(/url\(#/g, "url(#logo-")

const viewBox = /^\s*-?[\d.]+([\s,]+-?[\d.]+)([\s,]+[\d.]+){2}\s*$/

const mostBytes = 50 * 1024
const mostDepth = 30
const mostFaults = 20

/** A comment, a declaration, a closing tag, an opening tag, or text. Entities in a document type are not accepted. */
const token =
  /<!--[^]*?-->|<\?xml\s[^]*?\?>|<!DOCTYPE[^<>[\]]*>|<\/([\w:-]+)\s*>|<([\w:-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|[^<]+/y

interface Open {
  readonly name: string
  readonly attributes: ReadonlyArray<readonly [string, string]>
  readonly children: Array<SvgElement>
}

/** Checks the attributes of an element, and returns the ones that pages write. */
const attributesOf = (element: string, text: string, isRoot: boolean, refuse: (reason: string) => void) =>
  [...text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].flatMap(([, name = "", double, single]) => {
    const value = double ?? single ?? ""
    if (isNeedless(name) || (isRoot && ofPage.has(name))) return []
    if (!attributes.has(name)) refuse(`<${element}> has the attribute ${name}, which a logo cannot have`)
    else if (!isPlain(value)) refuse(`${name} of <${element}> has a value that a logo cannot have`)
    return [[name, own(name, value)] as const]
  })

interface Parsed {
  /** Absent when there are faults. */
  readonly logo?: SvgElement
  readonly faults: ReadonlyArray<BrandFault>
}

const saveAs = "save the logo as plain SVG, with paths instead of text, and without styles, scripts and links"

/** Reads a logo. It accepts only the elements and attributes of a plain picture (docs/brand.md). */
export const parse = (file: string, text: string): Parsed => {
  const faults: Array<BrandFault> = []
  const stack: Array<Open> = [{ name: "", attributes: [], children: [] }]
  // The depth of the open element that is left out, because it is silent or refused.
  let silentAt: number | undefined
  let index = 0
  const refuse = (reason: string) => faults.push({ file, line: lineAt(text, index), reason })
  const stop = (reason: string): Parsed => ({ faults: [...faults, { file, line: lineAt(text, index), reason }] })

  if (Buffer.byteLength(text) > mostBytes) return { faults: [{ file, reason: "is larger than 50 KB" }] }
  while (index < text.length) {
    token.lastIndex = index
    const found = token.exec(text)
    if (found === null) return stop(`is not well-formed; ${saveAs}`)
    if (faults.length >= mostFaults) return stop(`has more faults; ${saveAs}`)
    const [whole, closing, opening, given = "", end] = found
    const isSilent = silentAt !== undefined || (opening !== undefined && silent.has(opening))
    if (opening !== undefined) {
      const isRoot = stack.length === 1
      if (isRoot && (opening !== "svg" || stack[0]!.children.length > 0)) return stop("must be one <svg> element")
      if (stack.length > mostDepth) return stop(`has more than ${mostDepth} elements inside each other`)
      const isRefused = !isSilent && (!elements.has(opening) || (opening === "svg" && !isRoot))
      if (isRefused) refuse(`has the element <${opening}>, which a logo cannot have; ${saveAs}`)
      const isLeftOut = isSilent || isRefused
      const kept = isLeftOut ? [] : attributesOf(opening, given, isRoot, refuse)
      if (isRoot && !kept.some(([name, value]) => name === "viewBox" && viewBox.test(value)))
        refuse('<svg> needs a viewBox such as viewBox="0 0 120 40"')
      stack.push({ name: opening, attributes: kept, children: [] })
      if (isLeftOut) silentAt ??= stack.length
    } else if (closing === undefined && !isSilent && !whole.startsWith("<") && whole.trim() !== "")
      refuse(`has text; ${saveAs}`)
    if (closing !== undefined || end === "/") {
      const top = stack.pop()
      const parent = stack.at(-1)
      if (top === undefined || parent === undefined || (closing ?? opening) !== top.name)
        return stop(`closes <${closing ?? opening}>, which is not open; ${saveAs}`)
      if (silentAt === undefined) parent.children.push(top)
      else if (silentAt > stack.length) silentAt = undefined
    }
    index += whole.length
  }
  const [{ children }] = stack as [Open]
  if (stack.length > 1 || children[0] === undefined) return stop(`is not a complete SVG; ${saveAs}`)
  return faults.length > 0 ? { faults } : { logo: children[0], faults }
}
