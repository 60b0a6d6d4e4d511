import { Result } from "effect"
import { parentPort, workerData } from "node:worker_threads"
import type { ShopJob } from "./ReadShopAside.ts"
import { plainOf, readPlain } from "./ReadShopFile.ts"
import { written } from "./WriteShopFile.ts"

const run = (job: ShopJob) => {
  if (job.what === "write") return written(job.file)
  return Result.match(job.what === "read" ? readPlain(job.text) : plainOf(job.file), {
    onFailure: (faults) => ({ faults }),
    onSuccess: (plain) => ({ plain })
  })
}

// The thread of `ReadShopAside`: it gets one job and answers its outcome.
parentPort?.postMessage(run(workerData as ShopJob), [])
