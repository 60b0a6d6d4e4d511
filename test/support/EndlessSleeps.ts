import { Clock, Duration, Effect } from "effect"

/** The clock of the machine, except that sleeps of the chosen lengths never end. */
export const endlessSleeps = (isEndless: (seconds: number) => boolean): Clock.Clock => {
  const live = Clock.Clock.defaultValue()
  return Object.assign(Object.create(live), {
    sleep: (duration: Duration.Duration) =>
      isEndless(Duration.toSeconds(duration)) ? Effect.never : live.sleep(duration)
  })
}
