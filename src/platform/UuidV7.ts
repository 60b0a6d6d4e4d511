import { randomUUID } from "node:crypto"

const countAtMost = 0xfff

let millis = 0
let count = 0

/** Advances the time, or the count of ids in a millisecond. */
const advance = (now: number) => {
  if (now > millis) [millis, count] = [now, 0]
  else if (count < countAtMost) count += 1
  else [millis, count] = [millis + 1, 0]
}

/**
 * Makes a UUID of version 7. The ids of a process sort by their creation, because 12 bits count the ids of a millisecond
 * (RFC 9562, section 6.2, method 1). The 62 random bits come from Node's cache of random bytes, because asking the system
 * for each id would slow down a purchase. For ids of rows, not for secrets.
 */
export const make = (): string => {
  advance(Date.now())
  const time = millis.toString(16).padStart(12, "0")
  const random = randomUUID().slice("xxxxxxxx-xxxx-4xxx-".length)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, "0")}-${random}`
}
