import { invalid } from "../errors.ts"

/** The name of a scope that files lie in. @throws AppError invalid_request */
export function checkContext(value: string, field = "context_id"): string {
  if (!/^[A-Za-z0-9_.:-]{1,128}$/.test(value)) throw invalid(field, "must be 1 to 128 letters, digits or _ . : -")
  return value
}
