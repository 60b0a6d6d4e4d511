/** For work that a job finishes without help. */
export const waitForJob = "the service's jobs finish this; check that one runs, and search its log for this id"

/** Begins the remedies of an order whose proxy has ended at its provider. */
export const endsUnrefunded = "the service ends the order within two hours without a refund"
