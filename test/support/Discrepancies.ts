/** Where the service and its OpenAPI document have disagreed since the last test. */
export const discrepancies: Array<string> = []
