/** Omits the addresses of peers from diagnostic reports, because Node would look up their names. */
const withoutPeers = <A>(run: () => A): A => {
  const { excludeNetwork = false } = process.report as { readonly excludeNetwork?: boolean }
  Object.assign(process.report, { excludeNetwork: true })
  try {
    return run()
  } finally {
    Object.assign(process.report, { excludeNetwork })
  }
}

/** Reads the number of files and sockets that this process may open (RLIMIT_NOFILE); Infinity without a limit. */
export const limit = (): number => {
  const report: { readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } } } = withoutPeers(
    () => process.report.getReport() as object
  )
  const soft = report.userLimits?.open_files?.soft
  return typeof soft === "number" && soft > 0 ? soft : Infinity
}
