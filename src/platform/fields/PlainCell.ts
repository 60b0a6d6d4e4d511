/**
 * Protects a cell of a CSV file whose text other people may have written. Spreadsheets run a cell that begins with one of
 * these characters as a formula (OWASP, "CSV Injection"); after an apostrophe they show it as text.
 */
export const plainCell = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)
