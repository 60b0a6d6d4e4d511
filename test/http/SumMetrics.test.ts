import { assert, it } from "@effect/vitest"
import { sum } from "../../src/http/SumMetrics.ts"

it("adds the samples of each series, and keeps each metric together", () => {
  const one = [
    "# HELP requests Answered requests",
    "# TYPE requests counter",
    'requests{status="200"} 3',
    "# TYPE seconds histogram",
    'seconds_bucket{le="+Inf"} 2',
    "seconds_sum 0.25",
    ""
  ].join("\n")
  const other = [
    "# HELP requests Answered requests",
    "# TYPE requests counter",
    'requests{status="200"} 4',
    'requests{status="404"} 1',
    "# TYPE seconds histogram",
    'seconds_bucket{le="+Inf"} 1',
    "seconds_sum 1.5",
    ""
  ].join("\n")
  assert.deepStrictEqual(sum([one, other]).split("\n"), [
    "# HELP requests Answered requests",
    "# TYPE requests counter",
    'requests{status="200"} 7',
    'requests{status="404"} 1',
    "# TYPE seconds histogram",
    'seconds_bucket{le="+Inf"} 3',
    "seconds_sum 1.75",
    ""
  ])
})
