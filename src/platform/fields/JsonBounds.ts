/** Lists and objects within each other. */
const mostDepth = 32

/** Numbers, texts, lists and objects of a body, together. */
const mostValues = 2000

const quote = 0x22
const comma = 0x2c
const opening = [0x5b, 0x7b]
const backslash = 0x5c
const closing = [0x5d, 0x7d]

/** The index of the quote that ends a text. */
const endOfText = (json: string, start: number) => {
  for (let at = start; at < json.length; at += 1) {
    const char = json.charCodeAt(at)
    if (char === quote) return at
    if (char === backslash) at += 1
  }
  return json.length
}

/**
 * Says why a JSON text is too much to look at, before it is parsed; undefined when it is not. For bodies that hold free
 * values, which are visited one by one: the lists and objects of the declared operations have bounds of their own.
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
    if (depth > mostDepth) return `A body is nested at most ${mostDepth} deep; nothing was done`
    if (values > mostValues) return `A body holds at most ${mostValues} values; nothing was done`
  }
  return undefined
}
