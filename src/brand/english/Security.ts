/** The pages of the second factor. */
export const security = {
  "security.title": "Security",
  "security.about": "Your password, two-step sign-in and the devices where you are signed in.",
  "security.second_factor": "Two-step sign-in",
  "security.more_title": "Password and devices",
  "security.on": "On",
  "security.off": "Off",
  "security.off_about":
    "With two-step sign-in, signing in needs your password and a code of an authenticator app on your phone. A stolen password is then not enough. API keys and connected apps are not asked for a code. Turning it on signs out all other devices.",
  "security.verify_first": "Verify your email first: {{link}}",
  "security.begin_button": "Turn on",
  "security.on_about": "Since {{date}}, signing in needs your password and a code of your authenticator app.",
  "security.codes_left_one": "You have {{count}} recovery code left.",
  "security.codes_left_other": "You have {{count}} recovery codes left.",
  "security.renew_link": "Get new recovery codes",
  "security.turn_off_link": "Turn off",
  "security.turned_off": "Two-step sign-in is off. All other devices are signed out.",
  "security.setup_title": "Turn on two-step sign-in",
  "security.scan_title": "1. Add the account to your app",
  "security.scan":
    "Open an authenticator app on your phone, such as Aegis, 2FAS, Google Authenticator or 1Password, and scan this code.",
  "security.qr": "QR code for the authenticator app. The same secret stands below as text.",
  "security.open_link": "Open in an app on this device",
  "security.type_secret": "Or type this secret into the app:",
  "security.secret": "Secret",
  "security.confirm_title": "2. Enter its first code",
  "security.confirm_hint": "The 6 digits that the app shows now",
  "security.confirm_button": "Turn on",
  "security.otp_missing": "Enter the code",
  "security.turned_on": "Two-step sign-in is on. All other devices are signed out.",
  "security.codes_title": "Your recovery codes",
  "security.codes_heading": "Keep these codes in a safe place",
  "security.codes_about":
    "If you lose your phone, a recovery code lets you sign in. Each code works once. We show them only now: print them, or save them in a password manager.",
  "security.codes_lost": "If you lose the phone and the codes, only the operator of this service can help you.",
  "security.codes_lost_support": "If you lose the phone and the codes, only our support can help you: {{link}}",
  "security.download_button": "Download as text",
  "security.kept_link": "I have kept them",
  "security.codes_wrong": "This form does not have your recovery codes. Get new ones.",
  "security.renew_title": "Get new recovery codes",
  "security.renew_about": "You get ten new codes, and the earlier ones stop working. All other devices are signed out.",
  "security.renew_button": "Get new codes",
  "security.renewed":
    "These are your new recovery codes. The earlier ones no longer work. All other devices are signed out.",
  "security.turn_off_title": "Turn off two-step sign-in",
  "security.turn_off_about":
    "Signing in then needs only your password, and the recovery codes stop working. All other devices are signed out. To move to another phone, turn it off here and on again with the new phone.",
  "security.turn_off_button": "Turn off",

  "failure.SecondFactorNeedsEmail": "Verify your email first, on the page “Your email”.",
  "failure.SecondFactorOn":
    "Two-step sign-in is on already. If you did not see your recovery codes, get new ones here.",
  "failure.SecondFactorOff": "Two-step sign-in is off.",
  "failure.SecondFactorNotStarted": "The secret was shown more than 15 minutes ago, or in another browser. Begin again."
} as const
