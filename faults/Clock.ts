/** A clock that runs faster than real time, the same for all processes of a run. */
export interface Pace {
  /** In milliseconds, by the real clock. */
  readonly startedAt: number
  /** The time that the fast clock showed then. */
  readonly shown: number
  readonly speed: number
}

const realNow = Date.now

export const begin = (speed: number): Pace => ({ startedAt: realNow(), shown: realNow(), speed })

export const now = ({ shown, speed, startedAt }: Pace): number => shown + (realNow() - startedAt) * speed

/** The same clock, put forward. */
export const later = (pace: Pace, millis: number): Pace => ({ ...pace, shown: pace.shown + millis })

/** The clock as an environment variable for a process. */
export const encode = ({ shown, speed, startedAt }: Pace): string => [startedAt, shown, speed].join(",")

export const decode = (text: string): Pace => {
  const [startedAt = 0, shown = 0, speed = 1] = text.split(",").map(Number)
  return { startedAt, shown, speed }
}
