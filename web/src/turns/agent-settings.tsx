/**
 * The mode, the model and whatever else an agent lets be set while it runs (AG6). What was asked
 * shows at once; a refusal says why.
 */
import { Menu } from '@base-ui/react/menu'
import { useState } from 'react'
import type { Offers } from '../../../src/protocol/threads/offers.ts'
import type { AgentOption } from '../../../src/protocol/turns/agent-update.ts'
import type { ConfigChange } from '../../../src/protocol/turns/config-change.ts'
import { Choice } from '../parts/choice.tsx'
import { SettingsIcon } from '../parts/icons.tsx'
import { MenuChoice, MenuPopup, MenuToggle } from '../parts/menu.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useSaid, useWords } from '../translations/messages.tsx'
import { usePaneActions } from './pane-actions.ts'

/** Something that is chosen for the session or its next message. */
export interface ComposerSetting {
  readonly id: string
  readonly label: string
  readonly value: string | boolean
  readonly values: readonly { readonly id: string; readonly name: string }[]
  readonly disabled: boolean
  readonly onValue: (value: string | boolean) => void
}

interface AgentSettingsProps {
  readonly offers: Offers
  readonly mayWrite: boolean
  /** What is chosen beside what the agent offers. */
  readonly more: readonly ComposerSetting[]
}

export function AgentSettings({ offers, mayWrite, more }: AgentSettingsProps) {
  const { console: words } = useWords()
  const translate = useSaid()
  const { configure } = usePaneActions()
  // Several may be on their way: none is dropped because another was chosen right before.
  const [wished, setWished] = useState<readonly ConfigChange[]>([])
  const [error, setError] = useState<unknown>()
  const set = (change: ConfigChange) => {
    setWished((before) => [...before, change])
    setError(undefined)
    const over = () => setWished((before) => before.filter((each) => each !== change))
    configure?.(change).catch(setError).finally(over)
  }
  const settings = [
    ...settingsOf(offers, wished, words.mode, set).map((each) => ({
      ...each,
      disabled: !mayWrite,
    })),
    ...more,
  ]
  const [first, ...others] = settings
  if (!first) return null
  return (
    <>
      <div data-settings className="flex min-w-0 items-center gap-x-1 text-sm text-quiet">
        <Setting {...first} />
        {others.length > 0 && (
          <>
            <div className="flex min-w-0 items-center gap-x-1 @max-md:hidden">
              {others.map((each) => (
                <Setting key={each.id} {...each} />
              ))}
            </div>
            <Folded settings={others} />
          </>
        )}
      </div>
      {offers.notSet !== null && (
        <p role="alert" className="text-xs text-bad [overflow-wrap:anywhere]">
          {words.notSet(translate(offers.notSet.text, offers.notSet.notice))}
        </p>
      )}
      <ProblemNote error={error} />
    </>
  )
}

/** What the agent can be set to, with what was asked of it last. */
function settingsOf(
  offers: Offers,
  wished: readonly ConfigChange[],
  mode: string,
  set: (change: ConfigChange) => void,
): Omit<ComposerSetting, 'disabled'>[] {
  const asked = [...offers.asked, ...wished]
  const askedMode = asked.findLast((change) => 'modeId' in change)
  const ownMode = offers.options.some(({ category }) => category === 'mode')
  const modes = ownMode || offers.modes.length === 0 ? [] : [{ category: 'mode' as const }]
  const chosen = ({ id, value }: AgentOption) =>
    asked.filter((change) => 'optionId' in change).findLast((change) => change.optionId === id)
      ?.value ?? value
  return [...modes, ...offers.options].toSorted(byImportance).map((offered) =>
    'id' in offered
      ? {
          id: `option ${offered.id}`,
          label: offered.name,
          value: chosen(offered),
          values: offered.values,
          onValue: (value) => set({ optionId: offered.id, value }),
        }
      : {
          id: 'mode',
          label: mode,
          value: askedMode?.modeId ?? offers.mode ?? '',
          values: offers.modes,
          onValue: (modeId) => set({ modeId: String(modeId) }),
        },
  )
}

const order = ['model', 'mode', 'thought_level']

/** The model first, then how it works. */
const byImportance = (a: { category: string | null }, b: { category: string | null }): number =>
  ((order.indexOf(a.category ?? '') + 4) % 4) - ((order.indexOf(b.category ?? '') + 4) % 4)

function Setting({ label, value, values, disabled, onValue }: ComposerSetting) {
  if (typeof value === 'string')
    return (
      <Choice label={label} value={value} values={values} disabled={disabled} onValue={onValue} />
    )
  return (
    <label className="flex h-7 shrink-0 items-center gap-1.5 px-1.5">
      <input
        type="checkbox"
        checked={value}
        disabled={disabled}
        onChange={(event) => onValue(event.target.checked)}
      />
      {label}
    </label>
  )
}

/** Where the composer is narrow: all but the first behind one button. */
function Folded({ settings }: { settings: readonly ComposerSetting[] }) {
  const { console: words } = useWords()
  return (
    <Menu.Root>
      <Menu.Trigger
        aria-label={words.moreSettings}
        title={words.moreSettings}
        className="flex size-7 shrink-0 items-center justify-center rounded-md hover:bg-hover hover:text-ink max-md:size-9 @md:hidden"
      >
        <SettingsIcon />
      </Menu.Trigger>
      <MenuPopup side="top" align="start">
        {settings.map(({ id, value, onValue, ...setting }) =>
          typeof value === 'string' ? (
            <MenuChoice key={id} value={value} onValue={onValue} {...setting} />
          ) : (
            <MenuToggle key={id} on={value} onTurn={onValue} disabled={setting.disabled}>
              {setting.label}
            </MenuToggle>
          ),
        )}
      </MenuPopup>
    </Menu.Root>
  )
}
