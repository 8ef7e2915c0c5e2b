/** A labelled input with its hint and its error, tied together for assistive technology. */
import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from 'react'
import { useWords } from '../translations/messages.tsx'

/** Around a composer and its buttons. */
export const composerClass =
  'rounded-lg bg-raised shadow-[inset_0_0_0_1px_var(--edge)] ' +
  'focus-within:shadow-[inset_0_0_0_1px_var(--accent)]'

export const inputClass =
  'w-full min-w-0 rounded-md bg-canvas px-2.5 py-1.5 text-ink shadow-[inset_0_0_0_1px_var(--edge)] transition-shadow ' +
  'hover:shadow-[inset_0_0_0_1px_var(--faint)] focus:outline-2 focus:outline-offset-0 focus:outline-accent ' +
  'aria-invalid:shadow-[inset_0_0_0_1px_var(--bad)] disabled:opacity-60 max-md:min-h-10 max-md:text-lg'

interface FieldProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly optional?: boolean
  readonly className?: string
  readonly children: (tie: {
    id: string
    'aria-describedby'?: string
    'aria-invalid'?: true
  }) => ReactNode
}

function Field({ label, hint, error, optional, className = '', children }: FieldProps) {
  const words = useWords()
  const id = useId()
  const about = [error ? `${id}-error` : '', hint ? `${id}-hint` : ''].filter(Boolean).join(' ')
  return (
    <div className={`flex min-w-0 flex-col gap-1 ${className}`}>
      <label htmlFor={id} className="flex items-baseline gap-1.5 font-medium">
        {label}
        {optional && <span className="text-xs font-normal text-faint">{words.optional}</span>}
      </label>
      {children({
        id,
        ...(about && { 'aria-describedby': about }),
        ...(error && { 'aria-invalid': true as const }),
      })}
      {error && (
        <p id={`${id}-error`} className="text-sm text-bad">
          {error}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-faint">
          {hint}
        </p>
      )}
    </div>
  )
}

interface ValueProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly optional?: boolean
  readonly value: string
  readonly onValue: (value: string) => void
}

interface TextFieldProps
  extends ValueProps,
    Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'> {
  readonly mono?: boolean
}

export function TextField({
  label,
  hint,
  error,
  optional = false,
  onValue,
  mono,
  className,
  ...input
}: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} optional={optional} className={className ?? ''}>
      {(tie) => (
        <input
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          {...input}
          {...tie}
          className={`${inputClass} ${mono ? 'font-mono text-sm' : ''}`}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  )
}

interface TextAreaFieldProps
  extends ValueProps,
    Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'value'> {
  /** Words of a person rather than lines for a program. */
  readonly prose?: boolean
}

export function TextAreaField({
  label,
  hint,
  error,
  optional = false,
  onValue,
  prose = false,
  ...input
}: TextAreaFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      {(tie) => (
        <textarea
          autoComplete="off"
          {...(prose ? { dir: 'auto' } : { autoCapitalize: 'off', spellCheck: false })}
          {...input}
          {...tie}
          className={`${inputClass} field-sizing-content max-h-60 ${prose ? 'min-h-9' : 'min-h-14 font-mono text-sm'}`}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  )
}

interface SelectOption {
  readonly value: string
  readonly name: string
  /** Those with the same stand under it, behind those without. */
  readonly group?: string
}

interface SelectFieldProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly value: string
  readonly options: readonly SelectOption[]
  readonly onValue: (value: string) => void
}

export function SelectField({ label, hint, value, options, onValue }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(tie) => (
        <select
          {...tie}
          value={value}
          onChange={(event) => onValue(event.target.value)}
          className={inputClass}
        >
          {[...Map.groupBy(options, ({ group }) => group)].map(([group, members]) => {
            const shown = members.map((option) => (
              <option key={option.value} value={option.value}>
                {option.name}
              </option>
            ))
            return group === undefined ? (
              shown
            ) : (
              <optgroup key={group} label={group}>
                {shown}
              </optgroup>
            )
          })}
        </select>
      )}
    </Field>
  )
}
