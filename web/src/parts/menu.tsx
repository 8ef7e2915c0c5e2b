/** The popup of a menu, how its items look, and items that choose or switch something. */
import { Menu } from '@base-ui/react/menu'
import type { ReactNode } from 'react'
import { CheckIcon } from './icons.tsx'

export const itemClass =
  'flex min-h-8 cursor-default items-center gap-2 rounded-md px-2 py-1 outline-none select-none data-highlighted:bg-hover max-md:min-h-10'

interface MenuPopupProps {
  readonly children: ReactNode
  readonly side?: 'top' | 'bottom'
  readonly align?: 'start' | 'end'
}

export function MenuPopup({ children, side = 'bottom', align = 'end' }: MenuPopupProps) {
  return (
    // Inside a landmark, where assistive technology finds it.
    <Menu.Portal container={document.getElementById('popups')}>
      <Menu.Positioner
        side={side}
        align={align}
        sideOffset={6}
        collisionPadding={8}
        className="z-50 outline-none"
      >
        <Menu.Popup className="max-h-(--available-height) min-w-52 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg bg-raised p-1 shadow-popup outline-none transition duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0">
          {children}
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  )
}

const chosenClass = `${itemClass} justify-between`

interface MenuChoiceProps {
  readonly label: string
  readonly value: string
  /** `lang`: of the name, where it is in another language than the page. */
  readonly values: readonly { readonly id: string; readonly name: string; readonly lang?: string }[]
  readonly disabled?: boolean
  readonly onValue: (value: string) => void
}

/** One of several values, under its label. */
export const MenuChoice = ({
  label,
  value,
  values,
  disabled = false,
  onValue,
}: MenuChoiceProps) => (
  <Menu.RadioGroup value={value} onValueChange={onValue} disabled={disabled}>
    <Menu.Group>
      <Menu.GroupLabel className="px-2 pt-2 pb-1 text-xs font-medium text-faint">
        {label}
      </Menu.GroupLabel>
      {values.map(({ id, name, lang }) => (
        <Menu.RadioItem key={id} value={id} className={chosenClass} lang={lang}>
          {name}
          <Menu.RadioItemIndicator>
            <CheckIcon className="text-accent" />
          </Menu.RadioItemIndicator>
        </Menu.RadioItem>
      ))}
    </Menu.Group>
  </Menu.RadioGroup>
)

interface MenuToggleProps {
  readonly on: boolean
  readonly disabled?: boolean
  readonly onTurn: (wanted: boolean) => void
  readonly children: string
}

export const MenuToggle = ({ on, disabled = false, onTurn, children }: MenuToggleProps) => (
  <Menu.CheckboxItem
    checked={on}
    disabled={disabled}
    onCheckedChange={onTurn}
    className={chosenClass}
  >
    {children}
    <Menu.CheckboxItemIndicator>
      <CheckIcon className="text-accent" />
    </Menu.CheckboxItemIndicator>
  </Menu.CheckboxItem>
)
