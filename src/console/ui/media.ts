import { useEffect, useState } from "preact/hooks"

/** Whether a condition on the window holds, such as its width. */
export function useMatches(condition: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(condition).matches)
  useEffect(() => {
    const list = matchMedia(condition)
    const listen = () => setMatches(list.matches)
    list.addEventListener("change", listen)
    return () => list.removeEventListener("change", listen)
  }, [])
  return matches
}
