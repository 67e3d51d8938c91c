/** One byte range of a Range header (RFC 9110 §14): inclusive offsets; undefined when the whole is to be sent. */
export function rangeOf(
  header: string | null,
  size: number,
): { start: number; end: number } | "unsatisfiable" | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "")
  if (!match || (match[1] === "" && match[2] === "")) return undefined // several ranges, other units: ignored, as allowed
  const first = match[1] === "" ? Math.max(0, size - Number(match[2])) : Number(match[1])
  const last = match[1] === "" || match[2] === "" ? size - 1 : Math.min(Number(match[2]), size - 1)
  if (first >= size || (match[1] === "" && Number(match[2]) === 0)) return "unsatisfiable"
  return last < first ? undefined : { start: first, end: last }
}
