/** The most fields of a form or a URL. */
export const mostFields = 100

/** Says whether a form or a URL holds too many fields; looks at its separators only. */
export const holdsTooMany = (text: string) => text.split("&", mostFields + 1).length > mostFields

/** Reads a form; one with too many fields counts as empty. */
export const parse = (text: string) => new URLSearchParams(holdsTooMany(text) ? "" : text)
