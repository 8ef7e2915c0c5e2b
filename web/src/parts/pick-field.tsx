/** A labelled field in which several of many are chosen by typing a part of their name. */
import { Combobox } from '@base-ui/react/combobox'
import { useId } from 'react'
import { inputClass } from './field.tsx'
import { CheckIcon, CloseIcon } from './icons.tsx'
import { itemClass } from './menu.tsx'

interface Option {
  readonly id: string
  readonly name: string
}

interface PickFieldProps {
  readonly label: string
  readonly hint: string
  readonly placeholder: string
  /** Said where nothing matches. */
  readonly none: string
  readonly remove: (name: string) => string
  readonly options: readonly Option[]
  /** The ids of what is chosen; what is no option is shown by its id. */
  readonly value: readonly string[]
  readonly onValue: (value: readonly string[]) => void
}

/** More matches are not shown: typing on finds them. */
const mostMatches = 20

export function PickField({
  label,
  hint,
  placeholder,
  none,
  remove,
  options,
  value,
  onValue,
}: PickFieldProps) {
  const id = useId()
  const chosen = value.map(
    (each) => options.find((option) => option.id === each) ?? { id: each, name: each },
  )
  return (
    <Combobox.Root
      multiple
      items={options}
      value={chosen}
      limit={mostMatches}
      autoHighlight
      itemToStringLabel={({ id: option, name }: Option) => `${name} ${option}`}
      isItemEqualToValue={(a: Option, b: Option) => a.id === b.id}
      onValueChange={(next: readonly Option[]) => onValue(next.map((option) => option.id))}
    >
      <div className="flex min-w-0 flex-col gap-1">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        <Combobox.Chips className="flex flex-col gap-1">
          {chosen.map((option) => (
            <Combobox.Chip
              key={option.id}
              className="flex min-h-8 min-w-0 items-center gap-2 rounded-md bg-sunken pr-1 pl-2.5 outline-none data-highlighted:bg-hover focus-within:outline-2 focus-within:outline-accent"
            >
              <span className="min-w-0 truncate">{option.name}</span>
              {option.name !== option.id && (
                <span className="ml-auto shrink-0 font-mono text-xs text-faint">{option.id}</span>
              )}
              <Combobox.ChipRemove
                aria-label={remove(option.name)}
                className="flex size-7 shrink-0 items-center justify-center rounded text-quiet hover:bg-hover hover:text-ink"
              >
                <CloseIcon className="size-3" />
              </Combobox.ChipRemove>
            </Combobox.Chip>
          ))}
          <Combobox.Input
            id={id}
            aria-describedby={`${id}-hint`}
            placeholder={placeholder}
            className={inputClass}
          />
        </Combobox.Chips>
        <p id={`${id}-hint`} className="text-sm text-faint">
          {hint}
        </p>
      </div>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={6} collisionPadding={8} className="z-60 outline-none">
          <Combobox.Popup className="max-h-[min(20rem,var(--available-height))] w-(--anchor-width) overflow-y-auto rounded-lg bg-raised p-1 shadow-popup">
            <Combobox.Empty className="px-2 py-1 text-sm text-quiet empty:hidden">
              {none}
            </Combobox.Empty>
            <Combobox.List aria-label={label}>
              {(option: Option) => (
                <Combobox.Item
                  key={option.id}
                  value={option}
                  className={`${itemClass} data-selected:font-medium`}
                >
                  <span className="min-w-0 flex-1 truncate">{option.name}</span>
                  <Combobox.ItemIndicator>
                    <CheckIcon />
                  </Combobox.ItemIndicator>
                  <span className="shrink-0 font-mono text-xs text-faint">{option.id}</span>
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}
