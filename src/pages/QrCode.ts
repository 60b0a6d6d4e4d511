import { encode } from "uqr"
import { type Content, type Html, html } from "./Html.ts"

/** The white edge around the code, in modules. Cameras need it on dark pages. */
const border = 2

/** Writes the dark modules of each row as lines, in one path. */
const pathOf = (rows: ReadonlyArray<ReadonlyArray<boolean>>): string =>
  rows
    .map((row, y) => {
      let end = 0
      const runs = [
        ...row
          .map((dark) => (dark ? "1" : "0"))
          .join("")
          .matchAll(/1+/g)
      ]
      return runs
        .map(({ 0: run, index }) => {
          const move = end === 0 ? `M${index} ${y}.5` : `m${index - end} 0`
          end = index + run.length
          return `${move}h${run.length}`
        })
        .join("")
    })
    .join("")

/** Draws a QR code of a text, black on white in every colour scheme. `label` says to screen readers what it is. */
export const qrCode = (content: string, label: Content): Html => {
  const { data, size } = encode(content, { ecc: "M", border })
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}">
    <path d="${pathOf(data)}" />
  </svg>`
}
