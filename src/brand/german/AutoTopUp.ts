import type { autoTopUp as english } from "../english/AutoTopUp.ts"

/** The page of automatic top-up. */
export const autoTopUp: Readonly<Record<keyof typeof english, string>> = {
  "autotopup.title": "Automatische Aufladung",
  "autotopup.about":
    "Eine gespeicherte Karte lädt Ihr Guthaben auf, wenn es niedrig ist, damit Ihre Proxys verlängert werden können.",
  "autotopup.settings_title": "Einstellungen",
  "autotopup.enabled": "Automatische Aufladung",
  "autotopup.enabled_wrong": "Wählen Sie ein oder aus",
  "autotopup.on": "Ein",
  "autotopup.on_about": "Liegt Ihr Guthaben jetzt unter der Schwelle, wird Ihre Karte sofort belastet.",
  "autotopup.off": "Aus",
  "autotopup.threshold": "Wenn das Guthaben niedriger ist als (Dollar)",
  "autotopup.threshold_hint": "{{least}} bis {{most}}",
  "autotopup.amount": "Betrag einer Zahlung (Dollar)",
  "autotopup.amount_hint": "{{least}} bis {{most}}, und mindestens die Schwelle",
  "autotopup.monthly_limit": "Höchstens in einem Kalendermonat (Dollar)",
  "autotopup.monthly_limit_hint":
    "{{least}} bis {{most}}. Mehr buchen wir nie ab, und wir sagen Ihnen, wenn die Grenze erreicht ist.",
  "autotopup.sum_wrong":
    "Geben Sie einen Betrag von {{least}} bis {{most}} mit höchstens zwei Nachkommastellen ein, zum Beispiel 25 oder 12,50",
  "autotopup.amount_below": "Geben Sie mindestens die Schwelle ein, damit eine Zahlung genügt",
  "autotopup.limit_below": "Geben Sie mindestens den Betrag einer Zahlung ein",
  "autotopup.card": "Karte",
  "autotopup.card_wrong": "Wählen Sie eine Ihrer gespeicherten Karten",
  "autotopup.consent":
    "Solange die automatische Aufladung ein ist, dürfen wir diese Karte ohne Rückfrage belasten, bis zu Ihrer Grenze im Monat. Wir melden Ihnen jede Zahlung. Sie können sie hier jederzeit ausschalten.",
  "autotopup.button": "Speichern",
  "autotopup.saved_on": "Die automatische Aufladung ist ein.",
  "autotopup.saved_off": "Die automatische Aufladung ist aus.",
  "autotopup.is_off": "Die automatische Aufladung ist aus.",
  "autotopup.not_set": "Die automatische Aufladung ist aus, bis Sie diese Einstellungen speichern.",
  "autotopup.this_month": "In diesem Monat abgebucht",
  "autotopup.of_limit": "von höchstens {{limit}}",
  "autotopup.pause": "Die Bank hat Ihre Karte abgelehnt. Wir versuchen es nach dem {{time}} noch einmal.",
  "autotopup.stopped_authentication":
    "Die automatische Aufladung ist aus: Die Bank verlangt, dass Sie Zahlungen mit dieser Karte selbst bestätigen. Es wurde nichts abgebucht. Laden Sie selbst auf, oder nehmen Sie eine andere Karte.",
  "autotopup.stopped_expired":
    "Die automatische Aufladung ist aus: Ihre Karte ist abgelaufen. Speichern Sie eine andere Karte, und schalten Sie die Aufladung wieder ein.",
  "autotopup.stopped_refused":
    "Die automatische Aufladung ist aus: Die Bank nimmt Ihre Karte nicht mehr an. Speichern Sie eine andere Karte, und schalten Sie die Aufladung wieder ein.",
  "autotopup.stopped_declined":
    "Die automatische Aufladung ist aus: Die Bank hat Ihre Karte dreimal nacheinander abgelehnt. Prüfen Sie die Karte, und schalten Sie die Aufladung wieder ein.",
  "autotopup.stopped_reversed":
    "Die automatische Aufladung ist aus, weil eine ihrer Zahlungen erstattet oder angefochten wurde.",
  "autotopup.cards_title": "Gespeicherte Karten",
  "autotopup.no_card": "Sie haben keine gespeicherte Karte. Speichern Sie eine, um automatisch aufzuladen.",
  "autotopup.expires": "gültig bis {{date}}",
  "autotopup.in_use": "in Gebrauch",
  "autotopup.save_about":
    "Sie geben die Karte auf der Seite des Zahlungsdienstes ein, der sie aufbewahrt. Wir sehen ihre Nummer nicht. Es wird nichts abgebucht.",
  "autotopup.save_button": "Karte speichern",
  "autotopup.not_offered": "Zurzeit können keine Karten gespeichert werden.",
  "autotopup.card_saved": "Ihre Karte ist gespeichert.",
  "autotopup.card_soon": "Ihre Karte erscheint hier, sobald der Zahlungsdienst sie meldet.",
  "autotopup.remove_button": "Entfernen",
  "autotopup.remove_title": "Die Karte {{card}} entfernen?",
  "autotopup.remove_about": "Wir belasten sie nicht mehr, und der Zahlungsdienst vergisst sie.",
  "autotopup.remove_used_about":
    "Wir belasten sie nicht mehr, und der Zahlungsdienst vergisst sie. Die automatische Aufladung ist dann aus.",
  "autotopup.keep_button": "Behalten",
  "autotopup.removed": "Die Karte ist entfernt.",
  "autotopup.leading_title": "Zum Zahlungsdienst",
  "autotopup.leading": "Sie geben Ihre Karte auf der Seite des Zahlungsdienstes ein.",

  "failure.CardsNotOffered": "Zurzeit können keine Karten gespeichert werden. Es wurde nichts geändert.",
  "failure.CardNotFound": "Diese Karte ist nicht mehr gespeichert. Wählen Sie eine andere.",
  "failure.TooManyCards": "Sie haben 5 gespeicherte Karten, mehr sind nicht möglich. Entfernen Sie zuerst eine.",
  "failure.AutoTopUpNotSet": "Die automatische Aufladung ist für dieses Konto nicht eingerichtet."
}
