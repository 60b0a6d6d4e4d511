const mostFields = 100

/** Says whether a form or a URL holds more fields than any operation takes; looks at its separators only. */
export const holdsTooMany = (text: string) => text.split("&", mostFields + 1).length > mostFields

/** Reads a form; one with too many fields is as good as an empty one. */
export const parse = (text: string) => new URLSearchParams(holdsTooMany(text) ? "" : text)
