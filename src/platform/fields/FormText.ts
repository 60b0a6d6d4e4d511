/** Limit of the fields of a form or a URL. */
export const mostFields = 100

/** True when a form or a URL holds too many fields. Counts only the separators. */
export const holdsTooMany = (text: string) => text.split("&", mostFields + 1).length > mostFields

/** Parses a form; a form with too many fields counts as empty. */
export const parse = (text: string) => new URLSearchParams(holdsTooMany(text) ? "" : text)
