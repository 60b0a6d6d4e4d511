/** Depth limit of nested lists and objects. */
const mostDepth = 32

/** Limit of the numbers, texts, lists and objects of a body, together. */
const mostValues = 2000

const quote = 0x22
const comma = 0x2c
const opening = [0x5b, 0x7b]
const backslash = 0x5c
const closing = [0x5d, 0x7d]

/** Finds the quote that ends a text. */
const endOfText = (json: string, start: number) => {
  for (let at = start; at < json.length; at += 1) {
    const char = json.charCodeAt(at)
    if (char === quote) return at
    if (char === backslash) at += 1
  }
  return json.length
}

/**
 * Finds the fault of a JSON text that is nested too deeply or holds too many values; undefined without a fault. Checks
 * the text before it is parsed. Only bodies without a declared schema need this check: the schemas of the declared
 * operations limit their own lists and objects.
 */
export const faultOf = (json: string): string | undefined => {
  let depth = 0
  let values = 1
  for (let at = 0; at < json.length; at += 1) {
    const char = json.charCodeAt(at)
    if (char === quote) at = endOfText(json, at + 1)
    else if (char === comma) values += 1
    else if (closing.includes(char)) depth -= 1
    else if (opening.includes(char)) {
      depth += 1
      values += 1
    }
    if (depth > mostDepth) return `The body is nested too deeply: use at most ${mostDepth} levels; nothing was done`
    if (values > mostValues) return `The body is too large: send at most ${mostValues} values; nothing was done`
  }
  return undefined
}
