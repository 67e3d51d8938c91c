import { filtersOf } from "../grounding/scope.ts"
import type { Tool } from "./tool.ts"

const LIMIT = 100

export const listFiles: Tool<{ name?: string; type?: string }> = {
  name: "list_files",
  title: "List files",
  readsFiles: true,
  description:
    "Lists the files there are, newest first, with their ids. Narrow by a part of the name or by type (pdf, csv …).",
  parameters: {
    type: "object",
    properties: {
      name: { type: "string", maxLength: 255, description: "Part of the file name" },
      type: { type: "string", maxLength: 16, description: "File extension, such as pdf" },
    },
    additionalProperties: false,
  },
  async execute({ name, type }, { library, view, scope }) {
    const filter = {
      ...filtersOf(scope),
      ...(name ? { name } : {}),
      ...(type ? { type: type.toLowerCase().replace(/^\./, "") } : {}),
    }
    const { files, total } = await library.list(view, { ...filter, limit: LIMIT })
    if (files.length === 0) return name || type ? "No file fits." : "There are no files."
    const lines = files.map(file =>
      [
        file.id,
        file.name,
        `${file.size} bytes`,
        ...(file.page_count ? [`${file.page_count} pages`] : []),
        ...(file.tags.length > 0 ? [`tags ${file.tags.join(", ")}`] : []),
        ...(file.status === "searchable" ? [] : [file.status]),
      ].join(" · "),
    )
    return [`${total} files${total > files.length ? `, the newest ${files.length}` : ""}:`, ...lines].join("\n")
  },
}
