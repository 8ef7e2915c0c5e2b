/** The popup of a menu, and how its items look. */
import { Menu } from '@base-ui/react/menu'
import type { ReactNode } from 'react'

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
      <Menu.Positioner side={side} align={align} sideOffset={6} collisionPadding={8} className="z-50 outline-none">
        <Menu.Popup className="max-h-(--available-height) min-w-52 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg bg-raised p-1 shadow-popup outline-none transition duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0">
          {children}
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  )
}
