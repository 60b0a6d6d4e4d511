import { Effect } from "effect"
import type { Language } from "../../brand/Language.ts"
import type { Paper } from "../../brand/Paper.ts"
import { PaperHasOtherLetters } from "./InvoiceErrors.ts"
import * as PaperFonts from "./PaperFonts.ts"

/** Points from each edge of an A4 page, and between two columns. */
const [margin, gap] = [50, 10]
/** The widths of the columns of the table. */
const columns = [255, 60, 85, 95] as const

type Pdf = PDFKit.PDFDocument

const { plain } = PaperFonts

/** Writes cells side by side, on a new page when they do not fit. */
const row = (pdf: Pdf, cells: ReadonlyArray<string>, widths: ReadonlyArray<number>) => {
  const height = Math.max(
    ...cells.map((cell, index) => pdf.heightOfString(cell, { width: (widths[index] ?? 0) - gap }))
  )
  if (pdf.y + height > pdf.page.height - margin) pdf.addPage()
  const top = pdf.y
  let left = margin
  for (const [index, cell] of cells.entries()) {
    const width = widths[index] ?? 0
    const align = index > 0 && cells.length > 2 ? "right" : "left"
    pdf.text(cell, left, top, { width: width - gap, align })
    left += width
  }
  pdf.x = margin
  pdf.y = top + height + 4
}

const write = (pdf: Pdf, paper: Paper, language: Language) => {
  const say = (text: (language: Language) => string) => plain(text(language))
  const named = (items: Paper["facts"], widths: ReadonlyArray<number>) => {
    for (const [name, value] of items) row(pdf, [say(name), say(value)], widths)
  }
  const bold = (size: number) => pdf.font("bold").fontSize(size)
  const usual = () => pdf.font("plain").fontSize(9)
  const width = columns.reduce((sum, column) => sum + column, 0)

  bold(18).text(say(paper.title))
  pdf.moveDown()
  usual()
  for (const note of paper.notes) row(pdf, [say(note)], [width])
  named(paper.facts, [150, width - 150])
  pdf.moveDown()
  bold(10)
  row(
    pdf,
    paper.parties.map(([title]) => say(title)),
    [width / 2, width / 2]
  )
  usual()
  row(
    pdf,
    paper.parties.map(([, lines]) => plain(lines.join("\n"))),
    [width / 2, width / 2]
  )
  pdf.moveDown()
  bold(9)
  row(pdf, paper.heads.map(say), columns)
  pdf
    .moveTo(margin, pdf.y)
    .lineTo(margin + width, pdf.y)
    .lineWidth(0.5)
    .stroke()
  pdf.y += 4
  usual()
  for (const cells of paper.rows) row(pdf, cells.map(say), columns)
  pdf
    .moveTo(margin, pdf.y)
    .lineTo(margin + width, pdf.y)
    .stroke()
  pdf.y += 4
  bold(9)
  for (const [name, value] of paper.totals) row(pdf, [say(name), "", "", say(value)], columns)
  pdf.moveDown()
  usual().fontSize(8)
  for (const line of paper.foot) row(pdf, [say(line)], [width])
}

/** All words of a document. */
const textOf = ({ facts, foot, heads, notes, parties, rows, title, totals }: Paper, language: Language) => {
  const said = [title, ...notes, ...facts.flat(), ...heads, ...rows.flat(), ...totals.flat(), ...foot]
  return [...said, ...parties.map(([name]) => name)]
    .map((text) => text(language))
    .concat(parties.flatMap(([, lines]) => lines))
    .join("\n")
}

/**
 * Prints a document as PDF. The library and the fonts load with the first one. Latin, Greek, Cyrillic, Arabic and Hebrew letters
 * have their shapes; a document with others is refused. Several words of Arabic or Hebrew in one line stand in the wrong order.
 */
export const paperPdf = Effect.fn("paperPdf")(function* (paper: Paper, language: Language) {
  if (yield* Effect.promise(() => PaperFonts.lacks(textOf(paper, language)))) return yield* new PaperHasOtherLetters()
  const { Pdf, bold, plain } = yield* Effect.promise(PaperFonts.load)
  return yield* Effect.promise(
    () =>
      new Promise<Uint8Array>((done, failed) => {
        const info = { Title: paper.title(language) }
        const pdf = new Pdf({ size: "A4", margin, lang: language.code, displayTitle: true, info, font: plain as never })
        const parts: Array<Uint8Array> = []
        pdf.on("data", (part: Uint8Array) => parts.push(part))
        pdf.on("end", () => done(Buffer.concat(parts)))
        pdf.on("error", failed)
        pdf.registerFont("plain", plain as never)
        pdf.registerFont("bold", bold as never)
        write(pdf, paper, language)
        pdf.end()
      })
  )
})
