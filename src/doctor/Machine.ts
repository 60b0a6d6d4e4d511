import { Context } from "effect"
import * as fs from "node:fs"
import { hostname } from "node:os"
import * as path from "node:path"
import * as OpenFiles from "../platform/OpenFiles.ts"
import { interfaceAddresses } from "../platform/outbound/OwnAddresses.ts"

interface Disk {
  readonly freeBytes: number
  readonly totalBytes: number
}

/** The directory itself, or the nearest one above that exists. */
const existing = (directory: string): string =>
  fs.existsSync(directory) || directory === path.dirname(directory) ? directory : existing(path.dirname(directory))

const diskOf = (directory: string): Disk => {
  const { bavail, blocks, bsize } = fs.statfsSync(existing(directory))
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

const hostsFile = process.platform === "win32" ? String.raw`C:\Windows\System32\drivers\etc\hosts` : "/etc/hosts"

/** Reads the addresses of a name from the text of a hosts file (hosts(5)). */
export const addressesIn = (text: string, name: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/)
    return names.some((other) => other.toLowerCase() === name.toLowerCase()) ? [address] : []
  })

export interface Machine {
  readonly name: string
  readonly interfaces: () => ReadonlyArray<string>
  readonly openFiles: () => number
  /** Measures the file system of a directory, which need not exist. */
  readonly disk: (directory: string) => Disk
  /** Lists the addresses of a name in the hosts file; empty when the file does not have the name. */
  readonly hostsEntries: (name: string) => ReadonlyArray<string>
  /** True when this process runs the gateway on this machine; undefined when it does not know. */
  readonly runsGateway: boolean | undefined
}

const real: Machine = {
  name: hostname(),
  interfaces: interfaceAddresses,
  openFiles: OpenFiles.limit,
  disk: diskOf,
  hostsEntries: (name) => (fs.existsSync(hostsFile) ? addressesIn(fs.readFileSync(hostsFile, "utf8"), name) : []),
  runsGateway: undefined
}

/** The machine that the checks look at. */
export const Machine = Context.Reference<Machine>("app/doctor/Machine", { defaultValue: () => real })
