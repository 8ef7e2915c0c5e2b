/**
 * How a project behaves (NA10): what people change first, then timing and limits, folded; each with
 * its default and its range. Only changed ones are marked. Changes are collected and saved
 * together, because some depend on each other.
 */
import { useRouterState } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { translated } from '../../../src/protocol/notice-words.ts'
import type { Project } from '../../../src/protocol/projects/project.ts'
import {
  managedSettings,
  type SettingKey,
  type SettingValue,
} from '../../../src/protocol/projects/settings.ts'
import { useDraft } from '../live/draft.ts'
import { withProject } from '../live/home.ts'
import { changeHome, client } from '../live/queries.ts'
import { useSending } from '../live/sending.ts'
import { Button, SubmitButton } from '../parts/button.tsx'
import { BackIcon } from '../parts/icons.tsx'
import { notify } from '../parts/notices.tsx'
import { Section } from '../parts/page.tsx'
import { ProblemNote, problemIn } from '../parts/problem-note.tsx'
import { SlowAnswer } from '../parts/waiting.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import {
  isDefault,
  type SettingTexts,
  settingChanges,
  settingGroups,
  settingKeys,
  settingProblem,
} from './setting-draft.ts'
import { SettingRow } from './setting-row.tsx'

const folded = ['chat', 'agent', 'work', 'permission'] as const
const isFolded = (key: string): boolean =>
  folded.some((group) => settingGroups[group].some((each) => each === key))

type Change = Partial<Record<SettingKey, SettingValue | null>>

interface BehaviourProps {
  readonly project: Project
  readonly mayWrite: boolean
  /** Some decide what is run without anybody being asked. */
  readonly mayManage: boolean
}

export function BehaviourSettings({ project, mayWrite, mayManage }: BehaviourProps) {
  const words = useWords()
  const { number } = useWriting()
  const [texts, setTexts, clearTexts] = useDraft<SettingTexts>(`settings.${project.id}`, {})
  const { waiting, error, send, stop, forget } = useSending<Project>()
  const changes = settingChanges(texts, project.settings)
  const problems = Object.fromEntries(
    settingKeys.map((key) => [key, settingProblem(key, texts, project.settings, words, number)]),
  )
  const wrong = settingKeys.some((key) => problems[key])
  const chosen = settingKeys.filter((key) => !isDefault(key, project.settings[key]))
  const count = Object.keys(changes).length
  const refused = problemIn(error)
  const hash = useRouterState({ select: ({ location }) => location.hash })
  const [isOpen, setOpen] = useState(() => [...chosen, ...Object.keys(texts), hash].some(isFolded))
  const hasFoldedProblem = settingKeys.some(
    (key) => isFolded(key) && (problems[key] || refused?.['key'] === key),
  )
  // Led here by the name of a setting.
  useEffect(() => {
    if (isFolded(hash)) setOpen(true)
    if (hash)
      requestAnimationFrame(() =>
        document.getElementById(hash)?.querySelector<HTMLElement>('input, select')?.focus(),
      )
  }, [hash])
  useEffect(() => {
    if (hasFoldedProblem) setOpen(true)
  }, [hasFoldedProblem])

  async function change(settings: Change): Promise<Project | undefined> {
    const params = { projectId: project.id }
    const body = { settings }
    const changed = await send(body, (options) =>
      client.patch('/api/projects/{projectId}', { params, body, ...options }),
    )
    if (changed) changeHome((home) => withProject(home, changed))
    return changed
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (count === 0 || wrong || !(await change(changes))) return
    clearTexts()
    notify(words.project.settingsSaved)
  }

  /** Back to the defaults at once, with Undo: what was there is known. */
  async function reset(keys: readonly SettingKey[]) {
    const before = Object.fromEntries(keys.map((key) => [key, project.settings[key]])) as Change
    if (!(await change(Object.fromEntries(keys.map((key) => [key, null]))))) return
    setTexts(
      Object.fromEntries(
        Object.entries(texts).filter(([key]) => !keys.includes(key as SettingKey)),
      ),
    )
    notify(words.project.resetDone, () => void change(before))
  }

  const rowsOf = (keys: readonly SettingKey[]) => (
    <fieldset disabled={!mayWrite} className="divide-y divide-line border-y border-line">
      {keys.map((key) => (
        <fieldset key={key} disabled={!mayManage && managedSettings.has(key)} className="contents">
          <SettingRow
            name={key}
            value={project.settings[key]}
            text={texts[key]}
            problem={
              problems[key] ??
              (refused?.['key'] === key
                ? translated(words.translation, refused.detail, refused.notice)
                : undefined)
            }
            waiting={waiting && key in changes}
            mayWrite={mayWrite && (mayManage || !managedSettings.has(key))}
            onText={(text) => setTexts({ ...texts, [key]: text })}
            onReset={() => void reset([key])}
          />
        </fieldset>
      ))}
    </fieldset>
  )

  return (
    <Section
      title={words.project.behaviour}
      note={
        chosen.length > 0 ? words.project.changedCount(chosen.length) : words.project.allDefault
      }
      actions={
        mayWrite &&
        chosen.length > 1 && (
          <Button look="quiet" className="-mr-3" onClick={() => void reset(chosen)}>
            {words.project.resetAll}
          </Button>
        )
      }
    >
      <form onSubmit={submit} noValidate className="flex flex-col gap-6">
        {rowsOf(settingGroups.everyday)}
        <details
          open={isOpen}
          onToggle={(event) => setOpen(event.currentTarget.open)}
          className="group"
        >
          <summary className="flex min-h-9 cursor-pointer items-center gap-2 rounded-md font-medium">
            <BackIcon className="size-3.5 rotate-180 group-open:-rotate-90" />
            {words.settings.advanced}
            <span className="text-sm font-normal text-faint">{words.settings.advancedText}</span>
          </summary>
          <div className="flex flex-col gap-6 pt-3">
            {folded.map((group) => (
              <fieldset key={group} className="min-w-0">
                <legend className="pb-1.5 text-sm font-medium text-faint">
                  {words.settings.groups[group]}
                </legend>
                {rowsOf(settingGroups[group])}
              </fieldset>
            ))}
          </div>
        </details>
        <ProblemNote error={error} typed />
        <SlowAnswer waiting={waiting} onStop={stop} />
        {(count > 0 || wrong) && (
          <div className="sticky bottom-0 z-10 -mx-4 flex flex-wrap items-center gap-2 border-t border-line bg-canvas px-4 py-3 max-md:bottom-[calc(3.5rem+env(safe-area-inset-bottom))]">
            <SubmitButton waiting={waiting} disabled={wrong || count === 0}>
              {words.act.save}
            </SubmitButton>
            <Button
              look="quiet"
              onClick={() => {
                clearTexts()
                forget()
              }}
            >
              {words.act.discard}
            </Button>
            <span className="text-sm text-faint">{words.form.unsaved(count)}</span>
          </div>
        )}
      </form>
    </Section>
  )
}
