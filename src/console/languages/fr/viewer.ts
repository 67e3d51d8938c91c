import type { Same } from "../catalogue.ts"
import type { viewer as german } from "../de/viewer.ts"

export const viewer: Same<typeof german> = {
  "Copy the code": "Copier le code",
  Document: "Document",
  "Extracted text": "Texte extrait",
  "Go to page": "Aller à la page",
  "Go to slide": "Aller à la diapositive",
  "Loading the document …": "Chargement du document…",
  "Next mark": "Marque suivante",
  "Next slide": "Diapositive suivante",
  "of {total}": "sur {total}",
  "Page {page} of {name}": "Page {page} de {name}",
  "Parts of the document": "Parties du document",
  "Previous mark": "Marque précédente",
  "Previous slide": "Diapositive précédente",
  Rows: "Lignes",
  "Search in the document": "Rechercher dans le document",
  "Sheet {name}": "Feuille {name}",
  "Show what comes before": "Afficher ce qui précède",
  "Show what follows": "Afficher ce qui suit",
  "Source {number}": "Source {number}",
  "This document has been deleted, or you may not see it.":
    "Ce document a été supprimé, ou vous ne pouvez pas le voir.",
  "This value was replaced before the model saw it": "Cette valeur a été remplacée avant que le modèle ne la voie",
}
