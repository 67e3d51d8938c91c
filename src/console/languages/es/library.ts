import type { Same } from "../catalogue.ts"
import type { library as german } from "../de/library.ts"

export const library: Same<typeof german> = {
  "A scope that searches and chats can be narrowed to": "Un ámbito al que pueden limitarse búsquedas y chats",
  "A view keeps the present filters, order and columns. Only you see it, in every browser that you sign in with.":
    "Una vista guarda los filtros, el orden y las columnas actuales. Solo usted la ve, en todos los navegadores en que inicie sesión.",
  "added {time}": "añadido {time}",
  "Any state": "Cualquier estado",
  "Beside the name": "Junto al nombre",
  "Change {files, plural, one {# file} other {# files}}": "Cambiar {files, plural, one {# archivo} other {# archivos}}",
  "Changing: {done} of {total, plural, one {# file} other {# files}}":
    "Cambiando: {done} de {total, plural, one {# archivo} other {# archivos}}",
  "Choose all": "Seleccionar todo",
  "Choose all {total} that match": "Seleccionar los {total} que coinciden",
  "Choose none": "Anular la selección",
  "Choose {name}": "Seleccionar {name}",
  "Chosen files": "Archivos seleccionados",
  Clear: "Vaciar",
  "Clear the filters": "Quitar los filtros",
  Columns: "Columnas",
  "Columns of the list": "Columnas de la lista",
  "Contains …": "Contiene…",
  "contracts, 2026": "contratos, 2026",
  "Delete chosen": "Eliminar la selección",
  "Delete the view {name}": "Eliminar la vista {name}",
  "Delete {files, plural, one {# file} other {# files}}":
    "Eliminar {files, plural, one {# archivo} other {# archivos}}",
  "Delete {files, plural, one {# file} other {# files}}?":
    "¿Eliminar {files, plural, one {# archivo} other {# archivos}}?",
  "Delete {name}": "Eliminar {name}",
  "Deleted {name}": "{name} eliminado",
  "Deleting: {done} of {total, plural, one {# file} other {# files}}":
    "Eliminando: {done} de {total, plural, one {# archivo} other {# archivos}}",
  "Drop files here, or select Upload.": "Suelte archivos aquí o elija Subir.",
  "Drop to upload": "Suelte para subir",
  "External id": "ID externo",
  "{files, plural, one {# file} other {# files}} chosen":
    "{files, plural, one {# archivo seleccionado} other {# archivos seleccionados}}",
  "{files, plural, one {# file} other {# files}} done":
    "{files, plural, one {# archivo hecho} other {# archivos hechos}}",
  "{files, plural, one {# file} other {# files}} done, {failed} could not be":
    "{files, plural, one {# archivo hecho} other {# archivos hechos}}, {failed} no se pudieron",
  "{files} damaged": "{files} dañados",
  "{files} locked by a password": "{files} con contraseña",
  "{files} refused as archives": "{files} rechazados como archivos comprimidos",
  "{files} stopped by an error of Carrel": "{files} detenidos por un error de Carrel",
  "{files} took too long to read": "{files} tardaron demasiado en leerse",
  "{files} without text": "{files} sin texto",
  "Filter the library": "Filtrar la biblioteca",
  "In progress": "En curso",
  "Index again": "Indexar de nuevo",
  "Index it again; the log has the details.": "Indéxelo de nuevo; el registro tiene los detalles.",
  Indexing: "Indexando",
  "Indexing of the library": "Indexación de la biblioteca",
  "Indexing of {name}": "Indexación de {name}",
  "It contains no text to search.": "No contiene texto que buscar.",
  "Keep the present filters as {name}": "Guardar los filtros actuales como {name}",
  "Keep this view": "Guardar esta vista",
  Label: "Etiquetar",
  "Label new uploads": "Etiquetar las nuevas cargas",
  "Label {files, plural, one {# file} other {# files}}":
    "Etiquetar {files, plural, one {# archivo} other {# archivos}}",
  Metadata: "Metadatos",
  "Name and labels": "Nombre y etiquetas",
  "Names of fields, one in a line": "Nombres de campos, uno por línea",
  "{name} could not be deleted: {problem}": "No se pudo eliminar {name}: {problem}",
  "New context": "Nuevo contexto",
  "New name": "Nuevo nombre",
  "No files match these filters": "Ningún archivo coincide con estos filtros",
  "One by one, {limit} files can be chosen: the first of them are. For more, choose all that match: one job then goes by the filters.":
    "Uno por uno se pueden seleccionar {limit} archivos: están seleccionados los primeros. Para más, seleccione todos los que coinciden: un trabajo seguirá entonces los filtros.",
  "One by one, {limit} files can be chosen: the first of them are. For more, take away the part of the name and narrow the list by state, type, tag or context.":
    "Uno por uno se pueden seleccionar {limit} archivos: están seleccionados los primeros. Para más, quite la parte del nombre y acote la lista por estado, tipo, etiqueta o contexto.",
  "One field in a line, such as year: 2026": "Un campo por línea, como year: 2026",
  "One job works through every file that passes these filters. Files that come in later are left alone.":
    "Un trabajo procesa todos los archivos que pasan estos filtros. Los que lleguen después no se tocan.",
  "Open it in its own program and save it again.": "Ábralo en su propio programa y guárdelo de nuevo.",
  "{pages, plural, one {# page} other {# pages}}": "{pages, plural, one {# página} other {# páginas}}",
  "{pages, plural, one {# page} other {# pages}} read by OCR":
    "{pages, plural, one {# página leída} other {# páginas leídas}} con OCR",
  "{passages, plural, one {# passage} other {# passages}}": "{passages, plural, one {# pasaje} other {# pasajes}}",
  "project-x": "proyecto-x",
  Queued: "En cola",
  "Queueing to be indexed: {done} of {total, plural, one {# file} other {# files}}":
    "Poniendo en cola para indexar: {done} de {total, plural, one {# archivo} other {# archivos}}",
  "Re-index {name}": "Reindexar {name}",
  Reading: "Leyendo",
  "Reading images": "Leyendo imágenes",
  "Remove the password and upload it again.": "Quite la contraseña y súbalo de nuevo.",
  "Rename {name}": "Cambiar el nombre de {name}",
  Replace: "Reemplazar",
  "Retry failed": "Reintentar los fallidos",
  "{searchable} of {total, plural, one {# file} other {# files}} searchable":
    "{searchable} de {total, plural, one {# archivo} other {# archivos}} disponibles",
  "Show failed": "Mostrar los fallidos",
  Size: "Tamaño",
  "Split it into smaller files.": "Divídalo en archivos más pequeños.",
  Splitting: "Dividiendo",
  "Stopped after {files, plural, one {# file} other {# files}}":
    "Detenido tras {files, plural, one {# archivo} other {# archivos}}",
  Storing: "Guardando",
  Tag: "Etiqueta",
  "Tags and fields": "Etiquetas y campos",
  "Tags and fields come beside those that the files have; a field of the same name takes the place of the former one. What is left empty stays as it is.":
    "Las etiquetas y los campos se añaden a los que tienen los archivos; un campo del mismo nombre sustituye al anterior. Lo que se deja vacío no cambia.",
  "Tags and fields take the place of all that the files have. What is left empty stays as it is.":
    "Las etiquetas y los campos sustituyen a todos los que tienen los archivos. Lo que se deja vacío no cambia.",
  "The files lose these tags and fields, and keep the others. What is left empty stays as it is.":
    "Los archivos pierden estas etiquetas y campos y conservan los demás. Lo que se deja vacío no cambia.",
  "The library is empty": "La biblioteca está vacía",
  "The list ends after {files, plural, one {# file} other {# files}}: narrow it by the filters to see the others.":
    "La lista termina tras {files, plural, one {# archivo} other {# archivos}}: acótela con los filtros para ver los demás.",
  "They are gone from the library and from search, and cannot be brought back.":
    "Desaparecen de la biblioteca y de la búsqueda, y no se pueden recuperar.",
  "Unpack it and upload the files themselves.": "Descomprímalo y suba los propios archivos.",
  Upload: "Subir",
  Uploads: "Cargas",
  View: "Vista",
  "View …": "Vista…",
  Views: "Vistas",
  "Views of the library": "Vistas de la biblioteca",
  "{waiting} in progress": "{waiting} en curso",
  "{warnings, plural, one {# warning} other {# warnings}}": "{warnings, plural, one {# aviso} other {# avisos}}",
  "Working: {done} of {total, plural, one {# file} other {# files}}":
    "Trabajando: {done} de {total, plural, one {# archivo} other {# archivos}}",
  "Loading the library …": "Cargando la biblioteca…",
}
