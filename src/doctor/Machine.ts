import { Context } from "effect"
import * as fs from "node:fs"
import { hostname } from "node:os"
import * as path from "node:path"
import { parseEnv } from "node:util"
import * as OpenFiles from "../platform/OpenFiles.ts"
import { interfaceAddresses } from "../platform/outbound/OwnAddresses.ts"

interface NewestFile {
  readonly path: string
  readonly bytes: number
  readonly modifiedMillis: number
}

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

/** The file systems of Linux that end with the machine's run or with a container (statfs(2)). */
const passing: Readonly<Record<number, string>> = {
  0x01_02_19_94: "in memory (tmpfs), which a restart of the machine empties",
  0x85_84_58_f6: "in memory (ramfs), which a restart of the machine empties",
  0x79_4c_76_30: "on the overlay of a container, which is removed with the container",
  0x61_75_66_73: "on the overlay of a container, which is removed with the container"
}

const passingFileSystemOf = (directory: string) =>
  process.platform === "linux" ? passing[fs.statfsSync(existing(directory)).type] : undefined

const fileAt = (path: string): NewestFile | undefined => {
  const found = fs.statSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? { path, bytes: found.size, modifiedMillis: found.mtimeMs } : undefined
}

/** The file itself, or the newest file of a directory. A hidden file is a backup that is not complete. */
const newestFile = (place: string): NewestFile | undefined => {
  const isDirectory = fs.statSync(place, { throwIfNoEntry: false })?.isDirectory() === true
  const names = isDirectory ? fs.readdirSync(place).filter((name) => !name.startsWith(".")) : []
  const paths = isDirectory ? names.map((name) => path.join(place, name)) : [place]
  return paths
    .flatMap((path) => fileAt(path) ?? [])
    .toSorted((one, other) => other.modifiedMillis - one.modifiedMillis)[0]
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
  /** Says why the files of a directory, which need not exist, do not last; undefined when they do. */
  readonly passingFileSystem: (directory: string) => string | undefined
  /** Finds a file, or the newest file directly in a directory; undefined when there is none. */
  readonly newestFile: (place: string) => NewestFile | undefined
  /** Lists the addresses of a name in the hosts file; empty when the file does not have the name. */
  readonly hostsEntries: (name: string) => ReadonlyArray<string>
  /** Lists the names of the settings in the file `.env`; empty without the file. */
  readonly settingsInFile: () => ReadonlyArray<string>
  /** True when this process runs the gateway on this machine; undefined when it does not know. */
  readonly runsGateway: boolean | undefined
}

const real: Machine = {
  name: hostname(),
  interfaces: interfaceAddresses,
  openFiles: OpenFiles.limit,
  disk: diskOf,
  passingFileSystem: passingFileSystemOf,
  newestFile,
  hostsEntries: (name) => (fs.existsSync(hostsFile) ? addressesIn(fs.readFileSync(hostsFile, "utf8"), name) : []),
  settingsInFile: () => (fs.existsSync(".env") ? Object.keys(parseEnv(fs.readFileSync(".env", "utf8"))) : []),
  runsGateway: undefined
}

/** The machine that the checks look at. */
export const Machine = Context.Reference<Machine>("app/doctor/Machine", { defaultValue: () => real })
