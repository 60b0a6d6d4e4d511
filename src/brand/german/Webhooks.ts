import type { webhooks as english } from "../english/Webhooks.ts"

/** The pages of the webhook endpoints and their deliveries. */
export const webhooks: Readonly<Record<keyof typeof english, string>> = {
  "webhooks.about": "Wir senden Ihrem Server eine signierte Anfrage, wenn sich der Status eines Ihrer Proxys ändert.",
  "webhooks.list_title": "Ihre Endpunkte",
  "webhooks.none":
    "Sie haben noch keinen Endpunkt. Ein Endpunkt ist eine Adresse Ihres Servers, die unsere Anfragen empfängt.",
  "webhooks.endpoint": "Endpunkt",
  "webhooks.state": "Zustand",
  "webhooks.on": "Ein",
  "webhooks.off": "Aus",
  "webhooks.failing_since": "Fehlschläge seit",
  "webhooks.last_delivery": "Letzte Zustellung",
  "webhooks.never": "nie",
  "webhooks.open_button": "Öffnen",
  "webhooks.open_label": "Öffnen: {{url}}",
  "webhooks.removed": "Der Endpunkt und sein Protokoll sind gelöscht.",

  "webhooks.new_title": "Neuer Endpunkt",
  "webhooks.url": "URL",
  "webhooks.url_hint": "Eine https-Adresse Ihres Servers, zum Beispiel https://example.com/hooks/proxies",
  "webhooks.url_wrong":
    "Geben Sie eine Adresse ein, die mit https:// beginnt, ohne Benutzername, Passwort und Leerzeichen, mit höchstens 2.048 Zeichen",
  "webhooks.enabled": "Ereignisse",
  "webhooks.enabled_title": "Ereignisse sofort senden",
  "webhooks.enabled_detail":
    "Nur einer Ihrer Endpunkte kann eingeschaltet sein. Sie können ihn jederzeit ein- und ausschalten",
  "webhooks.enabled_wrong": "Wählen Sie dieses Feld einmal oder gar nicht aus",
  "webhooks.create_button": "Endpunkt erstellen",
  "webhooks.created": "Ihr neuer Endpunkt",
  "webhooks.secret": "Signaturschlüssel",
  "webhooks.copy_now":
    "Kopieren Sie den Signaturschlüssel jetzt. Wir zeigen ihn nur einmal. Ihr Server erkennt damit, welche Anfragen von uns sind.",
  "webhooks.created_already":
    "Der Endpunkt wurde schon erstellt und sein Signaturschlüssel einmal gezeigt. Wenn Sie den Schlüssel nicht haben, öffnen Sie den Endpunkt und ersetzen Sie ihn.",
  "webhooks.try_it": "Öffnen Sie danach den Endpunkt und senden Sie einen Test.",
  "webhooks.open_it": "Endpunkt öffnen",

  "webhooks.status_title": "Zustand des Endpunkts",
  "webhooks.last_test": "Letzter Test",
  "webhooks.secret_shown": "Schlüssel, gekürzt",
  "webhooks.old_secret": "Der alte Schlüssel gilt bis",
  "webhooks.failing_note":
    "Jede Zustellung seit {{when}} ist fehlgeschlagen. Nach fünf Tagen mit Fehlschlägen schalten wir den Endpunkt aus. Senden Sie einen Test, um die Ursache zu finden.",
  "webhooks.off_note":
    "Dieser Endpunkt ist ausgeschaltet und empfängt keine Ereignisse. Was inzwischen geschieht, wird nie gesendet.",
  "webhooks.test_button": "Test senden",
  "webhooks.enable_button": "Einschalten",
  "webhooks.disable_button": "Ausschalten …",
  "webhooks.disable_title": "Diesen Endpunkt ausschalten?",
  "webhooks.disable_about":
    "Wartende Zustellungen werden abgebrochen. Was geschieht, während kein Endpunkt eingeschaltet ist, wird nie gesendet.",
  "webhooks.disable_confirm_button": "Ausschalten",
  "webhooks.remove_button": "Löschen …",
  "webhooks.remove_title": "Diesen Endpunkt löschen?",
  "webhooks.remove_about":
    "Der Endpunkt, sein Protokoll und wartende Zustellungen werden gelöscht. Sie können das nicht rückgängig machen.",
  "webhooks.remove_confirm_button": "Endpunkt löschen",
  "webhooks.keep_button": "Endpunkt behalten",
  "webhooks.leave_on_button": "Eingeschaltet lassen",
  "webhooks.enabled_now": "Der Endpunkt ist eingeschaltet. Er empfängt die nächste Änderung Ihrer Proxys.",
  "webhooks.disabled_now": "Der Endpunkt ist ausgeschaltet.",
  "webhooks.url_saved": "Die URL ist gespeichert.",

  "webhooks.change_title": "URL ändern",
  "webhooks.change_about": "Wartende Zustellungen gehen an die neue URL.",
  "webhooks.save_button": "Speichern",

  "webhooks.rotate_title": "Signaturschlüssel ersetzen",
  "webhooks.rotate_about":
    "Sie erhalten einen neuen Schlüssel. Solange der alte noch gilt, signieren wir jede Anfrage mit beiden, damit Ihr Server nichts verpasst.",
  "webhooks.overlap": "Der alte Schlüssel gilt noch",
  "webhooks.overlap_hint": "Beenden Sie ihn sofort, wenn ihn jemand anderes kennen könnte",
  "webhooks.overlap_wrong": "Wählen Sie, wie lange der alte Schlüssel noch gilt",
  "webhooks.overlap_0": "gar nicht: sofort beenden",
  "webhooks.overlap_3600": "eine Stunde",
  "webhooks.overlap_86400": "einen Tag",
  "webhooks.overlap_604800": "eine Woche",
  "webhooks.rotate_button": "Schlüssel ersetzen",
  "webhooks.rotated": "Ihr neuer Signaturschlüssel",
  "webhooks.rotated_already":
    "Der Schlüssel wurde schon ersetzt und der neue einmal gezeigt. Wenn Sie ihn nicht haben, ersetzen Sie ihn noch einmal.",

  "webhooks.test_title": "Ergebnis des Tests",
  "webhooks.delivered_in": "Zugestellt: Ihr Server antwortete in {{ms}} ms mit {{code}}.",
  "webhooks.refused_in": "Nicht zugestellt: Ihr Server antwortete in {{ms}} ms mit {{code}}.",
  "webhooks.unreached_in": "Nicht zugestellt: Ihr Server antwortete nicht. Wir haben nach {{ms}} ms abgebrochen.",
  "webhooks.under_way": "Läuft gerade.",
  "webhooks.reason": "Grund: {{reason}}",
  "webhooks.see_delivery": "Diese Zustellung im Protokoll ansehen",

  "webhooks.log_title": "Zustellungen",
  "webhooks.log_none": "Hier gibt es keine Zustellung. Wir bewahren Zustellungen 30 Tage auf.",
  "webhooks.log_filter": "Welche Zustellungen",
  "webhooks.status_all": "Alle",
  "webhooks.status_pending": "Ausstehend",
  "webhooks.status_delivered": "Zugestellt",
  "webhooks.status_failed": "Fehlgeschlagen",
  "webhooks.status_abandoned": "Aufgegeben",
  "webhooks.status_cancelled": "Abgebrochen",
  "webhooks.about_pending": "Ein Versuch steht an oder läuft gerade.",
  "webhooks.about_delivered": "Ihr Server hat sie angenommen.",
  "webhooks.about_failed":
    "Ihr Server hat sie abgelehnt, deshalb versuchen wir es nicht noch einmal. Ein Test hat nur einen Versuch.",
  "webhooks.about_abandoned": "Alle fünf Versuche sind fehlgeschlagen.",
  "webhooks.about_cancelled": "Der Endpunkt wurde ausgeschaltet, bevor sie ankam.",
  "webhooks.change": "Änderung des Proxys",
  "webhooks.test_event": "Test",
  "webhooks.occurred": "Geschehen",
  "webhooks.attempts": "Versuche",
  "webhooks.attempt_number": "Versuch {{number}}",
  "webhooks.delivery": "Zustellung",

  "webhooks.delivery_title": "Zustellung an {{host}}",
  "webhooks.status": "Status",
  "webhooks.next_attempt": "Nächster Versuch",
  "webhooks.finished": "Beendet",
  "webhooks.order": "Bestellung",
  "webhooks.event_id": "Id des Ereignisses",
  "webhooks.delivery_id": "Id der Zustellung",
  "webhooks.attempts_none": "Es gab noch keinen Versuch.",
  "webhooks.attempt": "Versuch",
  "webhooks.started": "Begonnen",
  "webhooks.result": "Ergebnis",
  "webhooks.again_title": "Ereignis noch einmal senden",
  "webhooks.again_about":
    "Das erzeugt eine neue Zustellung desselben Ereignisses, mit derselben Id und bis zu fünf Versuchen.",
  "webhooks.again_button": "Noch einmal senden",
  "webhooks.again_sent": "Das Ereignis ist wieder unterwegs.",
  "webhooks.again_not_test":
    "Ein Test kann nicht noch einmal gesendet werden. Öffnen Sie den Endpunkt und senden Sie einen neuen Test.",

  "webhooks.verify_title": "So prüfen Sie eine Signatur",
  "webhooks.verify_about":
    "Jeder kann Anfragen an Ihre URL senden. Prüfen Sie deshalb jede, bevor Sie ihr vertrauen. Nehmen Sie den unveränderten Inhalt, bevor Ihr Framework ihn liest. Weisen Sie mit 401 ab, was nicht echt ist.",
  "webhooks.verify_scheme":
    "{{signature}} ist {{version}} und der HMAC-SHA256 von {{signed}} in Hex. Der Schlüssel ist der ganze Signaturschlüssel, mit {{prefix}}. Solange ein alter Schlüssel noch gilt, enthält {{alternate}} die Signatur mit dem anderen. Weisen Sie Zeitstempel ab, die mehr als fünf Minuten von Ihrer Uhr abweichen.",
  "webhooks.verify_digest": "SHA-256 des Inhalts, in Hex",
  "webhooks.verify_once":
    "Dasselbe Ereignis kann mehrmals und in anderer Reihenfolge ankommen: Speichern Sie die Ids der Ereignisse, die Sie bearbeitet haben.",

  "failure.WebhookUrlRefused":
    "An diese Adresse können wir nicht senden. Ihr Host muss existieren und darf nur zu öffentlichen Adressen führen.",
  "failure.WebhookUrlInsecure":
    "Geben Sie eine Adresse ein, die mit https:// beginnt. An http://-Adressen senden wir nicht.",
  "failure.WebhookNotFound": "Sie haben keinen solchen Endpunkt.",
  "failure.WebhookDeliveryNotFound": "Es gibt keine solche Zustellung. Wir bewahren Zustellungen 30 Tage auf.",
  "failure.WebhookAlreadyEnabled": "Ein anderer Ihrer Endpunkte ist eingeschaltet. Schalten Sie ihn zuerst aus.",
  "failure.TooManyWebhooks": "Sie haben 20 Endpunkte; mehr sind nicht möglich. Löschen Sie zuerst einen.",
  "failure.WebhookDisabled": "Der Endpunkt ist ausgeschaltet. Schalten Sie ihn zuerst ein.",
  "failure.DeliveryIsTest": "Ein Test kann nicht noch einmal gesendet werden. Senden Sie einen neuen Test.",
  "failure.DeliveryUnderWay": "Dieses Ereignis wird gerade zugestellt. Warten Sie, bis das beendet ist."
}
