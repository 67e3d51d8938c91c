import type { Same } from "../catalogue.ts"
import type { doors as german } from "../de/doors.ts"

export const doors: Same<typeof german> = {
  "At least 8 characters. A few words make a better password than a few symbols.":
    "Au moins 8 caractères. Quelques mots font un meilleur mot de passe que quelques symboles.",
  "Create the administrator": "Créer l’administrateur",
  "For <strong/>. All browsers that are signed in with the old one are signed out.":
    "Pour <strong/>. Tous les navigateurs connectés avec l’ancien seront déconnectés.",
  "Forgot your password? Whoever runs Carrel can set a new one with <code/>.":
    "Mot de passe oublié ? La personne qui gère Carrel peut en définir un nouveau avec <code/>.",
  "Go to sign-in": "Aller à la connexion",
  "It has been used, or Carrel is already set up.": "Il a déjà servi, ou Carrel est déjà configuré.",
  Join: "Rejoindre",
  "Join Carrel": "Rejoindre Carrel",
  "Not set up yet": "Pas encore configuré",
  "Set the password": "Définir le mot de passe",
  "Set up Carrel": "Configurer Carrel",
  "Sign in": "Se connecter",
  "Sign in as a local administrator": "Se connecter comme administrateur local",
  "Sign in as a member": "Se connecter comme membre",
  "Sign in with {name}": "Se connecter avec {name}",
  "This Carrel has no administrator yet. Whoever runs it can find a one-time setup link in its log, or print a new one with":
    "Ce Carrel n’a pas encore d’administrateur. La personne qui le gère trouve un lien de configuration à usage unique dans le journal, ou en crée un nouveau avec",
  "This link does not work": "Ce lien ne fonctionne pas",
  "You are invited to the workspace <strong/> as <strong2/>.":
    "Vous avez reçu une invitation à l’espace de travail <strong/> en tant que <strong2/>.",
  "You become the first administrator. Nobody else can use this link afterwards.":
    "Vous devenez le premier administrateur. Personne d’autre ne pourra utiliser ce lien ensuite.",
  "Your name": "Votre nom",
}
