/** The pages that only say something. */
export const messages = {
  "too_many_requests.title": "Too many requests",
  "too_many_requests.about": "There were too many requests in a short time. {{when}}",
  "not_found.title": "Page not found",
  "not_found.about": "There is no page at this address. Check the link, or go back.",
  "method_not_allowed.title": "This does not work here",
  "method_not_allowed.about": "This address does not accept {{method}}; it accepts {{allowed}}. Nothing was changed.",
  "method_not_allowed.back": "Go back, and use the links and buttons of the page.",
  "foreign_form.title": "This form came from another site",
  "foreign_form.about":
    "Another website sent a form to your account. We refused it. Nothing was changed, and nothing of it was kept.",
  "foreign_form.then": "Did you want to change something? Open our dashboard, and use the forms there.",
  "form_too_large.title": "The form is too large",
  "form_too_large.about":
    "The form is larger than 64 KiB, or did not arrive completely. Nothing was changed. Go back, shorten your entries, and try again.",
  "unavailable.title": "Not available right now",
  "unavailable.about": "We cannot reach our database at the moment. Wait a minute, then try again.",
  "failed.title": "Something went wrong",
  "failed.about": "This is our fault. Go back and try again.",
  "failed.request_id": "If that does not help, send our support this request id: {{id}}",

  "failure.IdempotencyKeyReused":
    "This form was sent before with other entries. Nothing was done now. Check them, and send it again.",
  "failure.RequestStillRunning": "Your first request is still running. Wait a moment, then load this page again."
} as const
