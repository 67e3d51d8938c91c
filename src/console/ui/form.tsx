import type { ComponentChildren, InputHTMLAttributes } from "preact"
import { useId } from "preact/hooks"
import { ApiError } from "../api.ts"
import { meaningOf } from "../errors.ts"

interface FormProps {
  /** Run when the form is sent. */
  action: { run: () => Promise<unknown> }
  class?: string
  children: ComponentChildren
}

export const Form = ({ action, children, ...attributes }: FormProps) => (
  <form
    {...attributes}
    onSubmit={event => {
      event.preventDefault()
      void action.run()
    }}
  >
    {children}
  </form>
)

interface FieldProps {
  label: string
  hint?: string
  error?: Error | undefined
  /** Name of the request field whose issue belongs here. */
  name?: string
  children: (attributes: { id: string; "aria-describedby"?: string; "aria-invalid"?: boolean }) => ComponentChildren
}

/** Label, control, hint and the issue that the daemon found with it. */
export function Field({ label, hint, error, name, children }: FieldProps) {
  const id = useId()
  const issue = error instanceof ApiError && name ? error.issueOf(name) : undefined
  const note = issue ?? hint
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(note ? { "aria-describedby": `${id}-note` } : {}),
        ...(issue ? { "aria-invalid": true } : {}),
      })}
      {note && (
        <p id={`${id}-note`} class={issue ? "issue" : "hint"}>
          {issue ?? hint}
        </p>
      )}
    </div>
  )
}

interface TextFieldProps {
  label: string
  value: string
  onInput: (value: string) => void
  hint?: string
  error?: Error | undefined
  name?: string
  type?: NonNullable<InputHTMLAttributes["type"]>
  autocomplete?: string
  required?: boolean
  placeholder?: string
  autofocus?: boolean
  readonly?: boolean
  minlength?: number
  min?: number | string
  max?: number | string
  step?: number | "any"
  /** Values that are offered while it is typed into. */
  suggestions?: readonly string[]
}

export function TextField({
  label,
  value,
  onInput,
  hint,
  error,
  name,
  autofocus,
  autocomplete,
  suggestions,
  ...rest
}: TextFieldProps) {
  const offered = useId()
  return (
    <Field label={label} {...(hint ? { hint } : {})} error={error} {...(name ? { name } : {})}>
      {attributes => (
        <>
          <input
            class="input"
            dir="auto"
            {...attributes}
            {...(rest as object)}
            name={name}
            autocomplete={autocomplete as never}
            list={suggestions && offered}
            ref={autofocus ? focusOnce : undefined}
            value={value}
            onInput={event => onInput(event.currentTarget.value)}
          />
          {suggestions && (
            <datalist id={offered}>
              {suggestions.map(each => (
                <option key={each} value={each} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  )
}

interface LinesProps
  extends Pick<TextFieldProps, "label" | "value" | "onInput" | "hint" | "error" | "name" | "placeholder"> {
  rows?: number
  required?: boolean
  /** For code and patterns, which no language turns around. */
  mono?: boolean
}

/** A text of several lines. */
export const Lines = ({ label, hint, error, name, value, onInput, rows = 2, mono, ...rest }: LinesProps) => (
  <Field label={label} {...(hint ? { hint } : {})} error={error} {...(name ? { name } : {})}>
    {attributes => (
      <textarea
        {...attributes}
        {...rest}
        class={mono ? "input mono" : "input"}
        dir={mono ? "ltr" : "auto"}
        name={name}
        rows={rows}
        value={value}
        onInput={event => onInput(event.currentTarget.value)}
      />
    )}
  </Field>
)

/** Is typed into first. What stands in a dialog cannot be focused before it opens: then the browser does it. */
export function focusOnce(element: HTMLElement | null): void {
  element?.setAttribute("autofocus", "")
  element?.focus({ preventScroll: true })
}

interface SelectProps<T extends string> {
  label: string
  value: T
  onChange: (value: T) => void
  options: readonly (readonly [value: T, text: string])[]
  /** Hides the label for the eye, not for screen readers. */
  compact?: boolean
}

export function Select<T extends string>({ label, value, onChange, options, compact }: SelectProps<T>) {
  const id = useId()
  return (
    <div class={compact ? "field compact" : "field"}>
      <label for={id} class={compact ? "unseen" : undefined}>
        {label}
      </label>
      <select id={id} class="input" value={value} onChange={event => onChange(event.currentTarget.value as T)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

interface SwitchProps {
  label: string
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
  /** Why it cannot be moved, for one. */
  note?: string | undefined
}

export const Switch = ({ label, checked, onChange, disabled, note }: SwitchProps) => (
  <label class="switch">
    <input
      type="checkbox"
      role="switch"
      aria-checked={checked}
      checked={checked}
      disabled={disabled}
      onChange={event => onChange(event.currentTarget.checked)}
    />
    <span>
      {label}
      {note && <span class="soft small"> ({note})</span>}
    </span>
  </label>
)

export interface SegmentsProps<T extends string> {
  label: string
  value: T
  options: readonly (readonly [value: T, text: string, hint?: string])[]
  onChange: (value: T) => void
}

/** One of a few choices, all in sight: radio buttons in the look of a bar. */
export function Segments<T extends string>({ label, value, options, onChange }: SegmentsProps<T>) {
  const name = useId()
  return (
    <fieldset class="segments">
      <legend class="unseen">{label}</legend>
      {options.map(([option, text, hint]) => (
        <label key={option} title={hint}>
          <input type="radio" name={name} value={option} checked={option === value} onChange={() => onChange(option)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  )
}

interface ProblemProps {
  /** Thrown just now, or kept with a reply or a run; nothing is shown where there is none. */
  error: { message: string; hint?: string | undefined; code?: string } | null | undefined
}

/** An error in the page, with what the operator can do. */
export const Problem = ({ error }: ProblemProps) =>
  error ? (
    <div class="problem" role="alert">
      {meaningOf(error) && <p>{meaningOf(error)}</p>}
      <p dir="auto">{error.message}</p>
      {error.hint && (
        <p class="hint" dir="auto">
          {error.hint}
        </p>
      )}
    </div>
  ) : null
