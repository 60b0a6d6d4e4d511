/** A colour for pages in light mode, and one for pages in dark mode. */
export interface Shades {
  readonly light: string
  readonly dark: string
}

/** The colours of the built-in brand. */
export const builtInAccent: Shades = { light: "#1a56c4", dark: "#86b0ff" }

/** The grounds on which pages write links in the accent colour. */
export const card: Shades = { light: "#ffffff", dark: "#191e28" }

export const isHex = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

/** Red, green and blue, from 0 to 255. */
const partsOf = (hex: string) => [1, 3, 5].map((from) => Number.parseInt(hex.slice(from, from + 2), 16))

/** A ground with a trace of a colour. */
export const tinted = (ground: string, colour: string): string => {
  const traces = partsOf(colour)
  const mixed = partsOf(ground).map((part, index) => Math.round(part * 0.92 + (traces[index] ?? part) * 0.08))
  return `#${mixed.map((part) => part.toString(16).padStart(2, "0")).join("")}`
}

/** The relative luminance (WCAG 2.2, "relative luminance"). */
const luminance = (hex: string): number => {
  const [red = 0, green = 0, blue = 0] = partsOf(hex)
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export const contrast = (one: string, other: string): number => {
  const [lighter, darker] = luminance(one) > luminance(other) ? [one, other] : [other, one]
  return (luminance(lighter) + 0.05) / (luminance(darker) + 0.05)
}

/** The least contrast of text (WCAG 2.2, level AA). */
export const leastContrast = 4.5
