import type { messages as english } from "../english/Messages.ts"

/** The pages that only say something. */
export const messages: Readonly<Record<keyof typeof english, string>> = {
  "too_many_requests.title": "Zu viele Anfragen",
  "too_many_requests.about": "In kurzer Zeit kamen zu viele Anfragen. {{when}}",
  "not_found.title": "Seite nicht gefunden",
  "not_found.about": "Unter dieser Adresse gibt es keine Seite. Prüfen Sie den Link oder gehen Sie zurück.",
  "method_not_allowed.title": "Das geht hier nicht",
  "method_not_allowed.about":
    "Diese Adresse akzeptiert {{method}} nicht, sondern nur {{allowed}}. Es wurde nichts geändert.",
  "method_not_allowed.back": "Gehen Sie zurück und verwenden Sie die Links und Schaltflächen der Seite.",
  "foreign_form.title": "Dieses Formular kam von einer anderen Website",
  "foreign_form.about":
    "Eine andere Website hat ein Formular an Ihr Konto gesendet. Wir haben es abgelehnt. Es wurde nichts geändert und nichts davon behalten.",
  "foreign_form.then": "Wollten Sie etwas ändern? Öffnen Sie unser Dashboard und verwenden Sie die Formulare dort.",
  "form_too_large.title": "Das Formular ist zu groß",
  "form_too_large.about":
    "Das Formular ist größer als 64 KiB oder kam unvollständig an. Es wurde nichts geändert. Gehen Sie zurück, kürzen Sie Ihre Eingaben und versuchen Sie es noch einmal.",
  "unavailable.title": "Zurzeit nicht verfügbar",
  "unavailable.about":
    "Wir erreichen gerade unsere Datenbank nicht. Warten Sie eine Minute und versuchen Sie es dann noch einmal.",
  "failed.title": "Etwas ist schiefgegangen",
  "failed.about": "Der Fehler liegt bei uns. Gehen Sie zurück und versuchen Sie es noch einmal.",
  "failed.request_id": "Wenn das nicht hilft, nennen Sie unserem Support diese Anfrage-ID: {{id}}",

  "failure.IdempotencyKeyReused":
    "Dieses Formular wurde schon mit anderen Eingaben gesendet. Jetzt ist nichts geschehen. Prüfen Sie die Eingaben und senden Sie es noch einmal.",
  "failure.RequestStillRunning":
    "Ihre erste Anfrage läuft noch. Warten Sie einen Moment und laden Sie diese Seite dann neu."
}
