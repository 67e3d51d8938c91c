import type { Same } from "../catalogue.ts"
import type { viewer as german } from "../de/viewer.ts"

export const viewer: Same<typeof german> = {
  "Copy the code": "Copiar el código",
  Document: "Documento",
  "Extracted text": "Texto extraído",
  "Go to page": "Ir a la página",
  "Go to slide": "Ir a la diapositiva",
  "Loading the document …": "Cargando el documento…",
  "Next mark": "Marca siguiente",
  "Next slide": "Diapositiva siguiente",
  "of {total}": "de {total}",
  "Page {page} of {name}": "Página {page} de {name}",
  "Parts of the document": "Partes del documento",
  "Previous mark": "Marca anterior",
  "Previous slide": "Diapositiva anterior",
  Rows: "Filas",
  "Search in the document": "Buscar en el documento",
  "Sheet {name}": "Hoja {name}",
  "Show what comes before": "Mostrar lo que hay antes",
  "Show what follows": "Mostrar lo que sigue",
  "Source {number}": "Fuente {number}",
  "This document has been deleted, or you may not see it.": "Este documento se ha eliminado o usted no puede verlo.",
  "This value was replaced before the model saw it": "Este valor se sustituyó antes de que el modelo lo viera",
}
