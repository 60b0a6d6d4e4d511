import { Schema } from "effect"

const Node = Schema.Struct({
  id: Schema.Int,
  callFrame: Schema.Struct({ functionName: Schema.String, url: Schema.String, lineNumber: Schema.Int }),
  children: Schema.optionalKey(Schema.Array(Schema.Int))
})

/** A processor profile as V8 writes it: a tree of calls, and the call that ran at each sample. */
export const Profile = Schema.Struct({
  nodes: Schema.Array(Node),
  samples: Schema.Array(Schema.Int),
  /** Microseconds since the previous sample. */
  timeDeltas: Schema.Array(Schema.Int)
})
export type Profile = typeof Profile.Type

interface Share {
  readonly name: string
  /** The share of the time in which the thread was busy. */
  readonly share: number
}

interface Summary {
  readonly busySeconds: number
  readonly idleSeconds: number
  /** The time in each file or package itself. */
  readonly files: ReadonlyArray<Share>
  /** The time in each function itself. */
  readonly self: ReadonlyArray<Share>
  /** The time in each function and in all that it calls. */
  readonly inclusive: ReadonlyArray<Share>
}

const root = `${new URL("../../", import.meta.url).pathname}`

/** The path from the project or from the folder of packages. */
const pathOf = (url: string) => {
  const path = url.replace("file://", "")
  return path.includes("/node_modules/") ? path.replace(/.*\/node_modules\//, "") : path.replace(root, "")
}

const nameOf = ({ functionName, lineNumber, url }: (typeof Node.Type)["callFrame"]) =>
  url === "" ? functionName : `${functionName || "(anonymous)"} ${pathOf(url)}:${lineNumber + 1}`

/** Waiting, and V8's own frames above all others. */
const outside = new Set(["(idle)", "(root)"])

const add = (sums: Map<string, number>, name: string, micros: number) =>
  void sums.set(name, (sums.get(name) ?? 0) + micros)

export const summary = ({ nodes, samples, timeDeltas }: Profile): Summary => {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ children = [], id }) => children.map((child) => [child, id] as const)))
  const [files, self, inclusive] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  let [busy, idle] = [0, 0]
  const chain = (id: number): Array<string> => {
    const parent = parents.get(id)
    return [nameOf(byId.get(id)!.callFrame), ...(parent === undefined ? [] : chain(parent))]
  }
  for (const [index, id] of samples.entries()) {
    const micros = timeDeltas[index] ?? 0
    const { callFrame } = byId.get(id)!
    if (callFrame.url === "node:inspector") continue
    if (callFrame.functionName === "(idle)") {
      idle += micros
      continue
    }
    busy += micros
    add(files, pathOf(callFrame.url) || callFrame.functionName, micros)
    add(self, nameOf(callFrame), micros)
    for (const name of new Set(chain(id))) if (!outside.has(name)) add(inclusive, name, micros)
  }
  const shares = (sums: Map<string, number>) =>
    [...sums].map(([name, micros]) => ({ name, share: micros / busy })).toSorted((a, b) => b.share - a.share)
  return {
    busySeconds: busy / 1e6,
    idleSeconds: idle / 1e6,
    files: shares(files),
    self: shares(self),
    inclusive: shares(inclusive)
  }
}
