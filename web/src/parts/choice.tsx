/** A choice that looks like text until one points at it, for the foot of a composer. */
interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly values: readonly { readonly id: string; readonly name: string }[]
  readonly disabled: boolean
  readonly onValue: (value: string) => void
}

export const Choice = ({ label, value, values, disabled, onValue }: ChoiceProps) => (
  <select
    aria-label={label}
    title={label}
    value={value}
    disabled={disabled}
    onChange={(event) => onValue(event.target.value)}
    className="h-7 max-w-40 [field-sizing:content] min-w-0 truncate rounded-md bg-transparent px-1.5 text-sm text-quiet hover:bg-hover hover:text-ink max-md:h-9 max-md:max-w-32"
  >
    {values.map(({ id, name }) => (
      <option key={id} value={id}>
        {name}
      </option>
    ))}
  </select>
)
