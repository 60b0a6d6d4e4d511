import type { doors as english } from "../english/Doors.ts"

/** The pages of a person who is not signed in, and the parts that forms share. */
export const doors: Readonly<Record<keyof typeof english, string>> = {
  "form.error_title": "Fehler: {{title}}",
  "form.optional": "(optional)",
  "form.email": "E-Mail-Adresse",
  "form.password": "Passwort",
  "form.new_password": "Neues Passwort",
  "form.password_hint": "Mindestens 8 Zeichen",
  "form.email_wrong": "Geben Sie eine E-Mail-Adresse ein, zum Beispiel ada@example.com",
  "form.password_wrong": "Wählen Sie ein Passwort mit 8 bis 128 Zeichen",
  "form.not_confirmed":
    "Wir konnten nicht prüfen, ob dieses Formular von Ihnen kommt. Es wurde nichts geändert. Bitte versuchen Sie es noch einmal.",
  "form.too_many_attempts": "Zu viele Versuche. {{when}}",
  "form.again_in_seconds_one": "Versuchen Sie es in {{count}} Sekunde noch einmal.",
  "form.again_in_seconds_other": "Versuchen Sie es in {{count}} Sekunden noch einmal.",
  "form.again_in_minutes": "Versuchen Sie es in {{minutes}} Minuten noch einmal.",

  "page.support": "Support:",
  "page.sign_in": "Anmelden",
  "page.dashboard_link": "Zum Dashboard",
  "page.your_account": "Ihr Konto",

  "sign_in.title": "Anmelden",
  "sign_in.title_for_app": "Anmelden, um {{app}} zu verbinden",
  "sign_in.about": "Mit Ihrem Konto bei {{brand}}.",
  "sign_in.about_app":
    "Diese App bittet um Zugriff auf Ihr Konto bei {{brand}}. Die App sieht Ihr Passwort nie. Zugriff erhält sie erst, wenn Sie auf der nächsten Seite zustimmen.",
  "sign_in.unlock": "Oder {{link}}, um sich sofort anzumelden.",
  "sign_in.unlock_link": "lassen Sie sich einen Link per E-Mail schicken",
  "sign_in.button": "Anmelden",
  "sign_in.forgot_link": "Passwort vergessen?",
  "sign_in.no_account": "Noch kein Konto? {{link}}",
  "sign_in.register_link": "Konto erstellen",
  "sign_in.wrong": "E-Mail-Adresse oder Passwort ist falsch.",

  "code.title": "Code eingeben",
  "code.about": "Ihr Passwort stimmt. Ihr Konto verlangt zusätzlich einen Code.",
  "code.about_app": "Ihr Passwort stimmt. Ihr Konto verlangt zusätzlich einen Code, bevor es mit {{app}} weitergeht.",
  "code.code": "Code",
  "code.hint": "Die 6 Ziffern Ihrer Authenticator-App oder einer Ihrer Wiederherstellungscodes",
  "code.button": "Anmelden",
  "code.wrong": "Dieser Code ist falsch oder wurde schon benutzt. Warten Sie auf den nächsten Code Ihrer App.",
  "code.lost":
    "Sie haben weder die App noch einen Wiederherstellungscode? Dann kann Ihnen nur der Betreiber dieses Dienstes helfen.",
  "code.lost_support":
    "Sie haben weder die App noch einen Wiederherstellungscode? Schreiben Sie unserem Support: {{link}}",
  "code.other_link": "Mit einem anderen Konto anmelden",
  "code.ended_title": "Melden Sie sich noch einmal an",
  "code.ended":
    "Der Code wurde nicht innerhalb von 10 Minuten eingegeben, oder diese Anmeldung ist anders beendet worden.",

  "register.title": "Konto erstellen",
  "register.about_app": "Auf der nächsten Seite entscheiden Sie, ob {{app}} sich mit dem Konto verbinden darf.",
  "register.name": "Name",
  "register.referral_code": "Empfehlungscode",
  "register.button": "Konto erstellen",
  "register.have_account": "Sie haben schon ein Konto? {{link}}",
  "register.name_wrong": "Geben Sie höchstens 100 Zeichen ein",
  "register.referral_code_wrong":
    "Diesen Empfehlungscode gibt es nicht. Lassen Sie das Feld leer, wenn Sie keinen Code haben.",
  "register.email_taken": "Mit dieser E-Mail-Adresse gibt es schon ein Konto. Melden Sie sich damit an.",
  "register.too_many": "In kurzer Zeit wurden zu viele Konten erstellt. {{when}}",

  "mail_link.button": "Link per E-Mail anfordern",
  "mail_link.sent_title": "Prüfen Sie Ihr Postfach",
  "mail_link.sent":
    "Wenn es ein Konto mit dieser E-Mail-Adresse gibt, haben wir einen Link dorthin geschickt. {{next}}",
  "mail_link.no_mail":
    "Nach einigen Minuten noch keine E-Mail? Sehen Sie im Spam-Ordner nach, und prüfen Sie, ob Sie Ihre Adresse richtig geschrieben haben.",
  "mail_link.back_link": "Zurück zur Anmeldung",
  "mail_link.network_limited": "Aus Ihrem Netzwerk wurden zu viele Links angefordert. {{when}}",
  "mail_link.limited":
    "Sie haben vor Kurzem schon Links angefordert. Prüfen Sie Ihr Postfach: Ein Link gilt {{duration}}. {{when}}",
  "forgot_password.title": "Passwort vergessen?",
  "forgot_password.about": "Wir schicken Ihnen einen Link per E-Mail. Damit können Sie ein neues Passwort wählen.",
  "forgot_password.next": "Öffnen Sie den Link innerhalb einer Stunde und wählen Sie ein neues Passwort.",
  "forgot_password.duration": "eine Stunde",
  "unlock.title": "Link zum Anmelden anfordern",
  "unlock.about":
    "Nach zu vielen falschen Passwörtern, von Ihnen oder von anderen, ist die Anmeldung eine Zeit lang gesperrt. Wir schicken Ihnen einen Link per E-Mail. Damit können Sie sich sofort mit Ihrem Passwort anmelden.",
  "unlock.next":
    "Öffnen Sie den Link innerhalb von zwei Stunden in diesem Browser und melden Sie sich mit Ihrem Passwort an.",
  "unlock.duration": "zwei Stunden",

  "reset_password.title": "Neues Passwort wählen",
  "reset_password.about": "Danach sind alle Geräte abgemeldet und alle Apps getrennt.",
  "reset_password.button": "Passwort ändern",
  "reset_password.done_title": "Passwort geändert",
  "reset_password.done": "Ihr Passwort ist geändert",
  "reset_password.signed_out": "Alle Geräte sind abgemeldet.",
  "reset_password.sign_in": "Verwenden Sie jetzt das neue Passwort: {{link}}",
  "reset_password.link_ended": "Dieser Link funktioniert nicht",
  "reset_password.link_reasons":
    "Der Link wurde schon benutzt, ist älter als eine Stunde oder unvollständig. Ihr Passwort wurde nicht geändert.",
  "reset_password.again_link": "Neuen Link anfordern",

  "verify_email.title": "E-Mail-Adresse bestätigen",
  "verify_email.about":
    "Haben Sie sich bei uns registriert oder Ihre E-Mail-Adresse geändert? Wenn nicht, schließen Sie diese Seite.",
  "verify_email.button": "E-Mail-Adresse bestätigen",
  "verify_email.done_title": "E-Mail-Adresse bestätigt",
  "verify_email.done": "Ihre E-Mail-Adresse ist bestätigt",
  "verify_email.done_about": "Wir können Ihnen jetzt E-Mails zu Ihren Proxys und Ihrem Guthaben schicken.",
  "verify_email.continue_link": "Zur Übersicht",
  "verify_email.link_ended": "Dieser Link funktioniert nicht",
  "verify_email.link_reasons":
    "Der Link wurde schon benutzt, ist älter als 24 Stunden oder unvollständig. Wenn Sie Ihre E-Mail-Adresse geändert haben, funktioniert nur der Link an die neue Adresse.",
  "verify_email.email_link": "E-Mail-Adresse ansehen",

  "claim.title": "Agent übernehmen",
  "claim.heading": "Konto Ihres Agenten übernehmen",
  "claim.about":
    "Ihr Agent hat ein Konto registriert und Ihnen ein Claim-Token gegeben. Wählen Sie eine E-Mail-Adresse und ein Passwort, dann gehört das Konto Ihnen. Der Agent kann danach Ihr Profil, Ihre Bestellungen und Ihr Guthaben sehen.",
  "claim.token": "Claim-Token",
  "claim.token_hint": "Es beginnt mit clm_",
  "claim.token_missing": "Fügen Sie das Claim-Token ein, das Ihr Agent Ihnen gegeben hat",
  "claim.token_wrong": "Dieses Token ist unbekannt, schon benutzt oder älter als 30 Tage",
  "claim.email_taken": "Mit dieser E-Mail-Adresse gibt es schon ein Konto. Geben Sie eine andere ein.",
  "claim.button": "Konto übernehmen",
  "claim.done_title": "Konto übernommen",
  "claim.done": "Das Konto gehört jetzt Ihnen",
  "claim.mailed":
    "Wir haben eine E-Mail an {{email}} geschickt. Öffnen Sie den Link darin, um die Adresse zu bestätigen. Ihr Agent behält seinen Schlüssel."
}
