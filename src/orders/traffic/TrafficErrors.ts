import { ApiError } from "../../platform/errors/ApiError.ts"

export class TrafficUnavailable extends ApiError<TrafficUnavailable>()("TrafficUnavailable", {
  status: 503,
  detail: "A provider does not report the traffic of its proxies now; try again in a moment"
}) {}
