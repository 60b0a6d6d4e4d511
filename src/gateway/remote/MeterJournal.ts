import * as fs from "node:fs"
import * as path from "node:path"
import type { NodeRun } from "../NodeControl.ts"
import type { TrafficJournal } from "../TrafficJournal.ts"

/** A proxy, its cycle and the bytes: 16 + 4 + 8, the rest is free. */
const slotBytes = 64
/** A slot is written once for this many bytes, so a killed process has counted at most this much too many for a proxy. */
const stepBytes = 1024 * 1024
/** The slots that one call to the centre carries. */
const slotsAtMost = 10_000
const journalsAtMost = 10

type Journal = NodeRun["ended"][number]

const name = /^meter-([0-9a-f-]{36})$/

const uuidOf = (bytes: Buffer) => bytes.toString("hex").replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5")

const parse = (epoch: string, file: Buffer): Journal => {
  const slots: Array<Journal["slots"][number]> = []
  for (let at = 0; at + slotBytes <= file.length; at += slotBytes)
    slots.push({
      proxy_id: uuidOf(file.subarray(at, at + 16)),
      cycle: file.readUInt32LE(at + 16),
      total: Number(file.readBigUInt64LE(at + 20))
    })
  return { epoch, slots }
}

/**
 * The journal of a node: one file for each epoch, one slot for each proxy. The system keeps what a killed process has
 * written. What it keeps of a crash of the whole host is not trusted.
 */
export class MeterJournal implements TrafficJournal {
  readonly #directory: string
  readonly #slots = new Map<string, { readonly index: number; cycle: number; covered: number }>()
  #file: number | undefined

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Begins the file of an epoch. */
  begin(epoch: string) {
    this.close()
    this.#slots.clear()
    this.#file = fs.openSync(path.join(this.#directory, `meter-${epoch}`), "w", 0o600)
  }

  cover(proxyId: string, cycle: number, total: number): boolean {
    if (this.#file === undefined) return false
    const slot = this.#slots.get(proxyId) ?? { index: this.#slots.size, cycle, covered: 0 }
    if (slot.cycle === cycle && total <= slot.covered) return true
    const covered = total + stepBytes
    const bytes = Buffer.alloc(slotBytes)
    bytes.write(proxyId.replaceAll("-", ""), "hex")
    bytes.writeUInt32LE(cycle, 16)
    bytes.writeBigUInt64LE(BigInt(covered), 20)
    try {
      fs.writeSync(this.#file, bytes, 0, slotBytes, slot.index * slotBytes)
    } catch {
      return false
    }
    slot.cycle = cycle
    slot.covered = covered
    this.#slots.set(proxyId, slot)
    return true
  }

  /** Reads the journals of former processes. What does not fit in one call is left out: its leases count as used. */
  former(running: string | null): ReadonlyArray<Journal> {
    const epochs = this.#epochs().filter((epoch) => epoch !== running)
    let left = slotsAtMost
    return epochs.slice(0, journalsAtMost).flatMap((epoch) => {
      const journal = parse(epoch, fs.readFileSync(path.join(this.#directory, `meter-${epoch}`)))
      left -= journal.slots.length
      return left < 0 ? [] : [journal]
    })
  }

  /** Removes the journals of other epochs than the running one. */
  forget(running: string | null) {
    for (const epoch of this.#epochs())
      if (epoch !== running) fs.rmSync(path.join(this.#directory, `meter-${epoch}`), { force: true })
  }

  close() {
    if (this.#file !== undefined) fs.closeSync(this.#file)
    this.#file = undefined
  }

  #epochs(): ReadonlyArray<string> {
    return fs.readdirSync(this.#directory).flatMap((file) => name.exec(file)?.[1] ?? [])
  }
}
