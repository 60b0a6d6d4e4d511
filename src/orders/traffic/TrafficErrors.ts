import { ApiError } from "../../platform/errors/ApiError.ts"

export class TrafficUnavailable extends ApiError<TrafficUnavailable>()("TrafficUnavailable", {
  status: 503,
  detail: "The provider does not answer for this proxy's traffic right now; try again in a moment"
}) {}
