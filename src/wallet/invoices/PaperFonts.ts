import type { Font } from "fontkit"
import fs from "node:fs/promises"

/** Loads the library and the fonts. Reading a font costs more than writing a document, so they stay in memory. */
const loadAnew = async () => {
  const [{ default: Pdf }, { create }] = await Promise.all([import("pdfkit"), import("fontkit")])
  // A file of a collection of fonts has another type.
  const font = async (url: string) => create(await fs.readFile(new URL(url))) as Font
  return {
    Pdf,
    plain: await font(import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf")),
    bold: await font(import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf"))
  }
}

let loaded: ReturnType<typeof loadAnew> | undefined

/** Loads the library and the fonts of the PDF files, once. */
export const load = () =>
  (loaded ??= loadAnew().catch((error: unknown) => {
    loaded = undefined
    throw error
  }))

/** Characters that set the direction of what follows. A printed line keeps its own. */
const directions = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** The text without characters that a file does not print. */
export const plain = (text: string): string => text.replace(directions, "")

/** The fonts have all of these: nothing loads for them. */
const usual = /^[\s\u0020-\u017f]*$/

/** True when the fonts lack a letter of a text. */
export const lacks = async (text: string): Promise<boolean> => {
  const printed = plain(text)
  if (usual.test(printed)) return false
  const font = (await load()).plain
  return [...printed].some((letter) => !/\s/.test(letter) && !font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0))
}
