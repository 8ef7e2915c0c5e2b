/** The signed-in person, and the preferences of this browser. */
import { Menu } from '@base-ui/react/menu'
import { useNavigate } from '@tanstack/react-router'
import { useMe } from '../live/queries.ts'
import { itemClass, MenuChoice, MenuPopup, MenuToggle } from '../parts/menu.tsx'
import { notify } from '../parts/notices.tsx'
import { describeProblem } from '../parts/problem-note.tsx'
import {
  notificationChoice,
  notificationsAvailable,
  setNotifications,
} from '../preferences/browser-notifications.ts'
import { type Choice, useChoice } from '../preferences/choice.ts'
import { enterChoice } from '../preferences/enter.ts'
import { languageChoice, languages } from '../preferences/language.ts'
import { themeChoice, themes } from '../preferences/theme.ts'
import { useWords } from '../translations/messages.tsx'
import { signOut } from './sign-out.ts'

export function AccountMenu() {
  const words = useWords()
  const me = useMe()
  const navigate = useNavigate()
  return (
    <Menu.Root>
      <Menu.Trigger className="flex h-8 min-w-0 items-center gap-2 rounded-md px-2 text-quiet transition-colors hover:bg-hover hover:text-ink data-popup-open:bg-hover">
        <span className="sr-only">{words.preferences.open}</span>
        <Face name={me?.name ?? ''} />
        <span className="truncate">{me?.name}</span>
      </Menu.Trigger>
      <MenuPopup side="top" align="start">
        <Choices
          title={words.preferences.theme}
          choice={themeChoice}
          values={themes}
          names={words.preferences.themes}
        />
        <Choices
          title={words.preferences.language}
          choice={languageChoice}
          values={languages}
          names={words.preferences.languages}
          inItself
        />
        <Menu.Separator className="my-1 h-px bg-line" />
        <EnterSends />
        {notificationsAvailable() && <Outside />}
        <Menu.Item
          className={itemClass}
          onClick={() => void navigate({ to: '.', search: { new: 'phone' } })}
        >
          {words.phone.open}
        </Menu.Item>
        <Menu.Item
          className={itemClass}
          onClick={() =>
            void signOut().catch((error: unknown) => notify(describeProblem(error, words).title))
          }
        >
          {words.preferences.signOut}
        </Menu.Item>
      </MenuPopup>
    </Menu.Root>
  )
}

interface ChoicesProps<Value extends string> {
  readonly title: string
  readonly choice: Choice<Value>
  readonly values: readonly Value[]
  readonly names: Readonly<Record<Value, string>>
  /** Languages are named in themselves. */
  readonly inItself?: boolean
}

const Choices = <Value extends string>({
  title,
  choice,
  values,
  names,
  inItself = false,
}: ChoicesProps<Value>) => (
  <MenuChoice
    label={title}
    value={useChoice(choice)}
    values={values.map((id) => ({
      id,
      name: names[id],
      ...(inItself && id !== 'system' && { lang: id }),
    }))}
    onValue={(value) => choice.set(value as Value)}
  />
)

function Outside() {
  const { preferences: words } = useWords()
  const turn = async (wanted: boolean): Promise<void> => {
    if (!(await setNotifications(wanted))) notify(words.outsideForbidden)
  }
  return (
    <MenuToggle on={useChoice(notificationChoice) === 'on'} onTurn={(wanted) => void turn(wanted)}>
      {words.outside}
    </MenuToggle>
  )
}

function EnterSends() {
  const { preferences: words } = useWords()
  return (
    <MenuToggle
      on={useChoice(enterChoice) === 'sends'}
      onTurn={(wanted) => enterChoice.set(wanted ? 'sends' : 'breaks')}
    >
      {words.enterSends}
    </MenuToggle>
  )
}

const Face = ({ name }: { name: string }) => (
  <span
    aria-hidden="true"
    className="inline-flex size-5 shrink-0 items-center justify-center rounded-full bg-accent-wash text-xs font-semibold text-accent"
  >
    {[...name][0]?.toUpperCase()}
  </span>
)
