/** What is set up once and seldom looked at: agents, people, channels, the system. */
import { Menu } from '@base-ui/react/menu'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { itemClass, MenuPopup } from '../parts/menu.tsx'
import { useWords } from '../translations/messages.tsx'
import { navItems } from './nav-items.ts'

interface PlacesMenuProps {
  readonly side: 'top' | 'bottom'
  readonly className: string
  /** Where nothing is written on it. */
  readonly label?: string
  readonly children: ReactNode
}

export function PlacesMenu({ side, className, label, children }: PlacesMenuProps) {
  const { places: words } = useWords()
  return (
    <Menu.Root>
      <Menu.Trigger aria-label={label} title={label} className={className}>
        {children}
      </Menu.Trigger>
      <MenuPopup side={side}>
        {navItems
          .filter(({ to }) => to !== '/')
          .map(({ to, name, Icon }) => (
            <Menu.LinkItem key={to} closeOnClick className={itemClass} render={<Link to={to} />}>
              <Icon className="text-quiet" />
              {words[name]}
            </Menu.LinkItem>
          ))}
      </MenuPopup>
    </Menu.Root>
  )
}
