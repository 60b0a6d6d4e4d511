type Node = { readonly [key: string]: any }

/** The name of a body or of a value in it, and its JSON. */
export type Worst = readonly [what: string, body: string]

/** Repeats a text as often as it fits. */
const repeated = (text: string, room: number, between = "") =>
  (text + between)
    .repeat(Math.max(1, Math.floor(room / (text.length + between.length))))
    .slice(0, -between.length || undefined)

const list = (element: string, room: number) => `[${repeated(element, room - 2, ",")}]`

const keys = (room: number) => {
  const all: Array<string> = []
  for (let length = 2; length < room - 12; length += (all.at(-1)?.length ?? 0) + 1) all.push(`"${all.length}":1`)
  return `{${all.join(",")}}`
}

const nested = (open: string, close: string, room: number) => {
  const depth = Math.floor(room / (open.length + close.length))
  return open.repeat(depth - 1) + "1" + close.repeat(depth - 1)
}

/** The costliest values for a place that takes any JSON. */
const structures = (room: number): ReadonlyArray<Worst> => [
  ["nested lists", nested("[", "]", room)],
  ["nested objects", nested(`{"a":`, "}", room)],
  ["many keys", keys(room)],
  ["one key again and again", `{${repeated(`"a":1`, room - 2, ",")}}`],
  ["a long number", repeated("9", room)],
  ["a long fraction", `0.${repeated("1", room - 2)}`]
]

const letters = ["a", "@", " ", "1.", "::", "%", "/", "-", "a@a.", "é", "\u{1f600}", "\\u0000", "\\ud83d", "\\\\"]

const texts = (room: number): ReadonlyArray<Worst> =>
  letters.map((letter) => [
    `"${letter}..."`,
    `"${repeated(letter, Math.floor((room - 2) / (Buffer.byteLength(letter) / letter.length)))}"`
  ])

/** Elements that are wrong in every way, and correct ones. */
const elementsOf = ({ examples: [[example = "a"] = []] = [], items }: Node): ReadonlyArray<string> => [
  "1",
  "{}",
  "[]",
  "null",
  `""`,
  `"a"`,
  `"::"`,
  JSON.stringify(items?.enum?.[0] ?? example)
]

const lists = (node: Node, room: number): ReadonlyArray<Worst> =>
  elementsOf(node).map((element) => [`[${element},...]`, list(element, room)])

type Place = readonly [path: ReadonlyArray<string>, node: Node]

/** Resolves a schema's references. */
export type Resolve = (node: Node) => Node

const variantsOf = (node: Node): ReadonlyArray<Node> => node["anyOf"] ?? node["allOf"] ?? node["oneOf"] ?? []

/** Every place of a body that has its own schema. */
export const placesOf = (given: Node, resolve: Resolve, path: ReadonlyArray<string> = []): ReadonlyArray<Place> => {
  const node = resolve(given)
  return [
    ...(path.length > 0 ? [[path, node] as const] : []),
    ...variantsOf(node).flatMap((variant) => placesOf(variant, resolve, path)),
    ...Object.entries<Node>(node["properties"] ?? {}).flatMap(([key, child]) =>
      placesOf(child, resolve, [...path, key])
    ),
    ...(node["items"] === undefined ? [] : placesOf(node["items"], resolve, [...path, "0"]))
  ]
}

const marker = "-- here --"

const marked = (value: unknown, [key, ...rest]: ReadonlyArray<string>): unknown => {
  if (key === undefined) return marker
  if (key === "0") return [marked(Array.isArray(value) ? value[0] : undefined, rest)]
  const members: Node = typeof value === "object" && value !== null ? value : {}
  return { ...members, [key]: marked(members[key], rest) }
}

const valuesAt = (node: Node, room: number): ReadonlyArray<Worst> => {
  if (node["type"] === "array") return lists(node, room)
  return node["type"] === "string" ? texts(room) : structures(room)
}

/** The worst values for each place of a body, in an example that is correct everywhere else. */
export const worstPlaces = (schema: Node, example: unknown, resolve: Resolve, size: number): ReadonlyArray<Worst> =>
  placesOf(schema, resolve).flatMap(([path, node]) => {
    const [before = "", after = ""] = JSON.stringify(marked(example, path)).split(`"${marker}"`)
    const values = valuesAt(node, size - Buffer.byteLength(before + after))
    return values.map(([what, value]): Worst => [`${path.join(".")}: ${what}`, before + value + after])
  })

/** The worst texts in place of a whole body. */
export const worstWholes = (size: number): ReadonlyArray<Worst> => [
  ...structures(size),
  ["a list", list("1", size)],
  ["a text", `"${repeated("a", size - 2)}"`],
  ["nothing that ends", repeated("[{", size)],
  ["blanks", repeated(" ", size)],
  ["lines", repeated("{}\n", size)]
]

/** Texts that a field of a form may split, parse, escape or compare: lists of addresses, logins, tags, templates. */
const pieces = [
  "a",
  "9",
  "@",
  " ",
  "-",
  "é",
  "\u{1f600}",
  "\u0000",
  "\n",
  ",",
  "<",
  "&",
  "{host}",
  "1.",
  "::",
  "/",
  "a@a.",
  "192.0.2.1,",
  "a:abcdefgh\n",
  "\u202e"
]

/** The most fields of a name that fit into a form beside its other fields. */
const mostOfName = 80

/** The worst values of one field of a form. */
export const worstFields = (name: string, size: number): ReadonlyArray<Worst> => {
  const room = size - name.length - 1
  const each = Math.floor(size / mostOfName) - name.length - 2
  const long: ReadonlyArray<Worst> = [
    ...pieces.map((piece): Worst => [JSON.stringify(`${piece}...`), repeated(encodeURIComponent(piece), room)]),
    ["escapes that are none", repeated("%", room)],
    ["halves of characters", repeated("%F0%9F", room)],
    ["nested lists", nested("[", "]", room)],
    ["nested objects", nested(`{"a":`, "}", room)]
  ]
  return [
    ...long.map(([what, value]): Worst => [`${name}: ${what}`, `${name}=${value}`]),
    [`${name} again and again`, Array.from({ length: mostOfName }, () => `${name}=${"a".repeat(each)}`).join("&")]
  ]
}

/** Forms of many fields and of one. */
export const worstForms = (size: number): ReadonlyArray<Worst> => [
  [
    "many fields",
    keys(size)
      .replace(/[^\d:]+/g, "&")
      .slice(0, size)
  ],
  ["one field again and again", repeated("a=1", size, "&")],
  ["separators", repeated("&", size)],
  ["one long field", `email=${repeated("%22", size - 6)}`],
  ["escapes that are none", `email=${repeated("%", size - 6)}`]
]
