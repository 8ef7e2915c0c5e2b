/** Who is signed in, and what this browser prefers. */
import { Menu } from '@base-ui/react/menu'
import { useNavigate } from '@tanstack/react-router'
import { useMe } from '../live/queries.ts'
import { useWords } from '../messages/messages.tsx'
import { CheckIcon } from '../parts/icons.tsx'
import { itemClass, MenuPopup } from '../parts/menu.tsx'
import { notify } from '../parts/notices.tsx'
import { tell } from '../parts/problem-note.tsx'
import { useChoice } from '../preferences/choice.ts'
import { languageChoice, languages } from '../preferences/language.ts'
import { canTellOutside, outsideChoice, turnOutside } from '../preferences/outside.ts'
import { themeChoice, themes } from '../preferences/theme.ts'
import { signOut } from './sign-out.ts'

const radioClass = `${itemClass} justify-between`
const groupClass = 'px-2 pt-2 pb-1 text-xs font-medium text-faint'

export function AccountMenu() {
  const words = useWords()
  const me = useMe()
  const navigate = useNavigate()
  const theme = useChoice(themeChoice)
  const language = useChoice(languageChoice)
  return (
    <Menu.Root>
      <Menu.Trigger className="flex h-8 min-w-0 items-center gap-2 rounded-md px-2 text-quiet transition-colors hover:bg-hover hover:text-ink data-popup-open:bg-hover">
        <span className="sr-only">{words.preferences.open}</span>
        <Face name={me?.name ?? ''} />
        <span className="truncate">{me?.name}</span>
      </Menu.Trigger>
      <MenuPopup side="top" align="start">
        <Menu.RadioGroup value={theme} onValueChange={themeChoice.set}>
          <Menu.Group>
            <Menu.GroupLabel className={groupClass}>{words.preferences.theme}</Menu.GroupLabel>
            {themes.map((each) => (
              <Menu.RadioItem key={each} value={each} className={radioClass}>
                {words.preferences.themes[each]}
                <Menu.RadioItemIndicator>
                  <CheckIcon className="text-accent" />
                </Menu.RadioItemIndicator>
              </Menu.RadioItem>
            ))}
          </Menu.Group>
        </Menu.RadioGroup>
        <Menu.RadioGroup value={language} onValueChange={languageChoice.set}>
          <Menu.Group>
            <Menu.GroupLabel className={groupClass}>{words.preferences.language}</Menu.GroupLabel>
            {languages.map((each) => (
              <Menu.RadioItem key={each} value={each} className={radioClass} lang={each === 'system' ? undefined : each}>
                {words.preferences.languages[each]}
                <Menu.RadioItemIndicator>
                  <CheckIcon className="text-accent" />
                </Menu.RadioItemIndicator>
              </Menu.RadioItem>
            ))}
          </Menu.Group>
        </Menu.RadioGroup>
        <Menu.Separator className="my-1 h-px bg-line" />
        {canTellOutside() && <Outside />}
        <Menu.Item className={itemClass} onClick={() => void navigate({ to: '.', search: { new: 'phone' } })}>
          {words.phone.open}
        </Menu.Item>
        <Menu.Item
          className={itemClass}
          onClick={() => void signOut().catch((error: unknown) => notify(tell(error, words).title))}
        >
          {words.preferences.signOut}
        </Menu.Item>
      </MenuPopup>
    </Menu.Root>
  )
}

function Outside() {
  const { preferences: words } = useWords()
  const on = useChoice(outsideChoice) === 'on'
  const turn = async (wanted: boolean): Promise<void> => {
    if (!(await turnOutside(wanted))) notify(words.outsideForbidden)
  }
  return (
    <Menu.CheckboxItem checked={on} onCheckedChange={(wanted) => void turn(wanted)} className={radioClass}>
      {words.outside}
      <Menu.CheckboxItemIndicator>
        <CheckIcon className="text-accent" />
      </Menu.CheckboxItemIndicator>
    </Menu.CheckboxItem>
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
