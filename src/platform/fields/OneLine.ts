/** Control characters, among them NUL, tab and NEL, and the separators of lines and paragraphs. */
const breaks = /[\p{Cc}\p{Zl}\p{Zp}]+/gu

/** Puts a text on one line: what could end a line, or cut the text off, becomes a space. */
export const oneLine = (text: string): string => text.replace(breaks, " ")
