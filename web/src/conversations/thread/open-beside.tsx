/** Opens a session beside others: chosen out of the newest ones of all projects. */
import { Menu } from '@base-ui/react/menu'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useHome } from '../../live/queries.ts'
import { recent } from '../../live/recent.ts'
import { ColumnsIcon } from '../../parts/icons.tsx'
import { itemClass, MenuPopup } from '../../parts/menu.tsx'
import { viewsOf } from '../../shell/listed-views.ts'
import { StateDot } from '../../shell/state-dot.tsx'
import { useWords } from '../../translations/messages.tsx'
import { useTitleOf } from '../titles.ts'

/** Sessions offered, the newest of all projects. */
const mostOffered = 15

export function OpenBeside({ keys }: { keys: readonly string[] }) {
  const { columns: words } = useWords()
  const navigate = useNavigate()
  const titleOf = useTitleOf()
  const home = useHome()
  const listed = useQuery({ ...recent, enabled: false }).data ?? []
  const views = (home?.projects ?? [])
    .flatMap(({ id, name }) => viewsOf(listed, id).map((view) => ({ ...view, project: name })))
    .filter((view) => view.userSessionId === undefined && view.canWrite && !keys.includes(view.key))
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, mostOffered)
  return (
    <Menu.Root>
      <Menu.Trigger
        aria-label={words.beside}
        title={words.beside}
        className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-quiet hover:bg-hover hover:text-ink max-md:size-10"
      >
        <ColumnsIcon />
      </Menu.Trigger>
      <MenuPopup>
        {views.length === 0 && <p className="px-2 py-1 text-sm text-faint">{words.none}</p>}
        {views.map((view) => (
          <Menu.Item
            key={view.id}
            className={`${itemClass} max-w-96`}
            onClick={() => void navigate({ to: '/columns', search: { keys: [...keys, view.key] } })}
          >
            <StateDot state={view.state} />
            <span className="min-w-0 flex-1 truncate">{view.title ?? titleOf(view.key).title}</span>
            <span className="max-w-32 truncate text-xs text-faint">{view.project}</span>
          </Menu.Item>
        ))}
      </MenuPopup>
    </Menu.Root>
  )
}
