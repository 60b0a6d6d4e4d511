import { parseArgs } from "node:util"
import { plants } from "./Plants.ts"

export interface Options {
  /** The choices that determine a run. */
  readonly seed: number
  /** The number of orders to make. */
  readonly orders: number
  /** The longest duration of the run. */
  readonly minutes: number
  /** `list`, `all`, `nothing`, or the name of a plant. */
  readonly plant: string | undefined
}

const texts = (args: ReadonlyArray<string>) =>
  parseArgs({
    args: [...args],
    options: {
      seed: { type: "string", default: String(1 + Math.floor(Math.random() * 2 ** 31)) },
      orders: { type: "string", default: "4000" },
      minutes: { type: "string", default: "10" },
      plant: { type: "string" }
    }
  }).values

/** Reads the options of the command line; answers a sentence if they cannot be used. */
export const read = (args: ReadonlyArray<string>): Options | string => {
  try {
    const { minutes, orders, plant, seed } = texts(args)
    const numbers = { seed: Number(seed), orders: Number(orders), minutes: Number(minutes) }
    for (const [name, value] of Object.entries(numbers)) {
      const isCount = name !== "minutes"
      if (!Number.isFinite(value) || value <= 0 || (isCount && !Number.isSafeInteger(value)))
        return `--${name} takes a positive ${isCount ? "whole " : ""}number`
    }
    const names = ["list", "all", "nothing", ...plants.map(({ name }) => name)]
    if (plant !== undefined && !names.includes(plant)) return `There is no plant ${plant}; --plant=list names them`
    return { ...numbers, plant }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** One kill for at least this many orders, or the faults were too few to show anything. */
const ordersPerKill = 130

/** The reason why a run with this aim has tried too little; undefined when it has tried enough. */
export const lacking = (wanted: number, { kills, orders }: { kills: number; orders: number }): string | undefined => {
  const least = Math.ceil(wanted / ordersPerKill)
  return orders >= wanted && kills >= least
    ? undefined
    : `Not enough was tried: ${orders} orders of ${wanted} and ${kills} kills of at least ${least}`
}
