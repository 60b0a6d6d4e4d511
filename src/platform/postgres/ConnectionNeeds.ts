/** The connections of a process beside its pool: the wake-ups, and the check at its start. */
const besidePool = 2
/** The connections for the gateway, for commands and for the server itself. */
const kept = 15

/** The connections that this number of processes with pools of this size need. */
export const needed = (processes: number, pool: number) => processes * (pool + besidePool) + kept

/** The number of processes with pools of this size that the connections are enough for. */
export const fitting = (connections: number, pool: number) => Math.floor((connections - kept) / (pool + besidePool))
