/** Diagnostic reports leave out the addresses of peers, whose names Node would look up. */
const withoutPeers = <A>(run: () => A): A => {
  const { excludeNetwork = false } = process.report as { readonly excludeNetwork?: boolean }
  Object.assign(process.report, { excludeNetwork: true })
  try {
    return run()
  } finally {
    Object.assign(process.report, { excludeNetwork })
  }
}

/** The number of files and sockets that this process may have open (RLIMIT_NOFILE); Infinity without a limit. */
export const limit = (): number => {
  const report: { readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } } } = withoutPeers(
    () => process.report.getReport() as object
  )
  const soft = report.userLimits?.open_files?.soft
  return typeof soft === "number" && soft > 0 ? soft : Infinity
}
