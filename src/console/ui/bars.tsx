import { t } from "../text.ts"
/** Values beside each other as bars, of which the highest fills the height. */
export function Bars({ values, label }: { values: number[]; label: string }) {
  const highest = Math.max(1, ...values)
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${values.length * 4} 40`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t("{label}, at most {highest}", { label, highest })}
    >
      {values.map((value, i) => {
        const height = value === 0 ? 1 : Math.max(2, (value / highest) * 40)
        // a bar is its minute
        return (
          <rect key={i} class={value === 0 ? "none" : undefined} x={i * 4} y={40 - height} width={3} height={height} />
        )
      })}
    </svg>
  )
}
