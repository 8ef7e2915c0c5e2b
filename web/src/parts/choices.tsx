/** Radio buttons that look like a row of segments. */
import { useId } from 'react'

interface ChoicesProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly {
    readonly value: Value
    readonly name: string
    readonly hint?: string
  }[]
  readonly onValue: (value: Value) => void
  readonly hideLabel?: boolean
  readonly disabled?: boolean
}

export function Choices<Value extends string>({
  label,
  value,
  options,
  onValue,
  hideLabel,
  disabled,
}: ChoicesProps<Value>) {
  const name = useId()
  const hint = options.find((option) => option.value === value)?.hint
  return (
    <fieldset
      className="min-w-0"
      disabled={disabled}
      aria-describedby={hint ? `${name}-hint` : undefined}
    >
      <legend className={hideLabel ? 'sr-only' : 'mb-1 font-medium'}>{label}</legend>
      <div className="inline-flex max-w-full flex-wrap gap-0.5 rounded-md bg-sunken p-0.5 shadow-[inset_0_0_0_1px_var(--edge)]">
        {options.map((option) => (
          <label
            key={option.value}
            className="relative flex min-h-7 cursor-pointer items-center rounded px-2.5 text-quiet transition-colors hover:text-ink has-checked:bg-raised has-checked:font-medium has-checked:text-ink has-checked:shadow-[0_0_0_1px_var(--edge)] has-focus-visible:outline-2 has-focus-visible:outline-accent has-disabled:cursor-default has-disabled:opacity-60 max-md:min-h-9"
          >
            <input
              type="radio"
              className="absolute inset-0 cursor-pointer appearance-none outline-none"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onValue(option.value)}
            />
            <span className="pointer-events-none">{option.name}</span>
          </label>
        ))}
      </div>
      {hint && (
        <p id={`${name}-hint`} className="mt-1 text-sm text-faint">
          {hint}
        </p>
      )}
    </fieldset>
  )
}
