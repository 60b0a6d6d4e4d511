import { Result } from "effect"
import { parentPort, workerData } from "node:worker_threads"
import { readPlain } from "./ReadShopFile.ts"

// The thread of `ReadShopAside`: it gets the text of a file, and answers the plain shop or the faults.
parentPort?.postMessage(
  Result.match(readPlain(String(workerData)), {
    onFailure: (faults) => ({ faults }),
    onSuccess: (plain) => ({ plain })
  }),
  []
)
