import type { Same } from "../catalogue.ts"
import type { doors as german } from "../de/doors.ts"

export const doors: Same<typeof german> = {
  "At least 8 characters. A few words make a better password than a few symbols.":
    "Al menos 8 caracteres. Unas palabras hacen mejor contraseña que unos símbolos.",
  "Create the administrator": "Crear el administrador",
  "For <strong/>. All browsers that are signed in with the old one are signed out.":
    "Para <strong/>. Se cerrará la sesión de todos los navegadores que usan la anterior.",
  "Forgot your password? Whoever runs Carrel can set a new one with <code/>.":
    "¿Olvidó su contraseña? Quien administra Carrel puede poner una nueva con <code/>.",
  "Go to sign-in": "Ir al inicio de sesión",
  "It has been used, or Carrel is already set up.": "Ya se ha usado, o Carrel ya está configurado.",
  Join: "Unirse",
  "Join Carrel": "Unirse a Carrel",
  "Not set up yet": "Aún sin configurar",
  "Set the password": "Establecer la contraseña",
  "Set up Carrel": "Configurar Carrel",
  "Sign in": "Iniciar sesión",
  "Sign in as a local administrator": "Iniciar sesión como administrador local",
  "Sign in as a member": "Iniciar sesión como miembro",
  "Sign in with {name}": "Iniciar sesión con {name}",
  "This Carrel has no administrator yet. Whoever runs it can find a one-time setup link in its log, or print a new one with":
    "Este Carrel aún no tiene administrador. Quien lo administra puede encontrar un enlace de configuración de un solo uso en su registro, o crear uno nuevo con",
  "This link does not work": "Este enlace no funciona",
  "You are invited to the workspace <strong/> as <strong2/>.":
    "Ha recibido una invitación al espacio de trabajo <strong/> como <strong2/>.",
  "You become the first administrator. Nobody else can use this link afterwards.":
    "Usted será el primer administrador. Nadie más podrá usar este enlace después.",
  "Your name": "Su nombre",
}
