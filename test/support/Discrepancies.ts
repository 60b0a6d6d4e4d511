/** Differences between the service and its OpenAPI document since the last test. */
export const discrepancies: Array<string> = []
