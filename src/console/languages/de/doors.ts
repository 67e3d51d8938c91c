export const doors = {
  "At least 8 characters. A few words make a better password than a few symbols.":
    "Mindestens 8 Zeichen. Ein paar Wörter sind ein besseres Passwort als ein paar Sonderzeichen.",
  "Create the administrator": "Administrator anlegen",
  "For <strong/>. All browsers that are signed in with the old one are signed out.":
    "Für <strong/>. Alle Browser, die mit dem alten angemeldet sind, werden abgemeldet.",
  "Forgot your password? Whoever runs Carrel can set a new one with <code/>.":
    "Passwort vergessen? Wer Carrel betreibt, kann mit <code/> ein neues setzen.",
  "Go to sign-in": "Zur Anmeldung",
  "It has been used, or Carrel is already set up.": "Er wurde schon benutzt, oder Carrel ist bereits eingerichtet.",
  Join: "Beitreten",
  "Join Carrel": "Carrel beitreten",
  "Not set up yet": "Noch nicht eingerichtet",
  "Set the password": "Passwort setzen",
  "Set up Carrel": "Carrel einrichten",
  "Sign in": "Anmelden",
  "Sign in as a local administrator": "Als lokaler Administrator anmelden",
  "Sign in as a member": "Als Mitglied anmelden",
  "Sign in with {name}": "Mit {name} anmelden",
  "This Carrel has no administrator yet. Whoever runs it can find a one-time setup link in its log, or print a new one with":
    "Dieses Carrel hat noch keinen Administrator. Wer es betreibt, findet einen einmaligen Einrichtungslink im Log oder erzeugt einen neuen mit",
  "This link does not work": "Dieser Link funktioniert nicht",
  "You are invited to the workspace <strong/> as <strong2/>.":
    "Sie sind in den Arbeitsbereich <strong/> eingeladen als <strong2/>.",
  "You become the first administrator. Nobody else can use this link afterwards.":
    "Sie werden zum ersten Administrator. Danach kann niemand sonst diesen Link benutzen.",
  "Your name": "Ihr Name",
}
