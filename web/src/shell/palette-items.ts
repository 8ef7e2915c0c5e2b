/**
 * The items of the command palette, and how they match what was typed. Pure but for the choices it
 * sets.
 */
import type { useNavigate } from '@tanstack/react-router'
import type { SettingKey } from '../../../src/protocol/projects/settings.ts'
import type { Home } from '../live/home.ts'
import { languageChoice, languages } from '../preferences/language.ts'
import { themeChoice, themes } from '../preferences/theme.ts'
import type { Messages } from '../translations/en.ts'
import { navItems } from './nav-items.ts'

export interface PaletteItem {
  readonly id: string
  readonly group: string
  readonly text: string
  readonly note?: string
  /** What was found in the text, where the server says so; else what was typed is looked for. */
  readonly marks?: readonly { readonly start: number; readonly end: number }[]
  readonly act: () => void
}

interface Sources {
  readonly words: Messages
  readonly home: Home | undefined
  readonly may: { readonly write: boolean; readonly manage: boolean }
  readonly navigate: ReturnType<typeof useNavigate>
  readonly signOut: () => void
  /** The project in front. */
  readonly projectId: string | undefined
}

const mostHere = 30

/**
 * The buttons of the place in front, by their names; a name that several have says too little and
 * is left out.
 */
export function itemsHere(words: Messages): PaletteItem[] {
  const buttons = [...document.querySelectorAll<HTMLElement>('main button:not(:disabled)')].filter(
    (each) => each.checkVisibility(),
  )
  const byName = Map.groupBy(buttons, (each) =>
    (each.getAttribute('aria-label') ?? each.innerText).replaceAll(/\s+/g, ' ').trim(),
  )
  return [...byName]
    .flatMap(([name, [button, ...others]]) =>
      name !== '' && button && others.length === 0 ? [{ name, button }] : [],
    )
    .slice(0, mostHere)
    .map(({ name, button }) => ({
      id: `here-${name}`,
      group: words.palette.here,
      text: name,
      act: () => button.click(),
    }))
}

/** Places and settings of the project in front. */
function itemsOfProject({ words, home, projectId, navigate }: Sources): PaletteItem[] {
  const project = home?.projects.find(({ id }) => id === projectId)
  if (!project) return []
  const params = { projectId: project.id }
  const { palette } = words
  const places = [
    ['/projects/$projectId', words.project.overview],
    ['/projects/$projectId/tasks', words.tasks.tab],
    ['/projects/$projectId/history', words.workSessions.tab],
    ['/projects/$projectId/approaches', words.continuity.approaches],
    ['/projects/$projectId/approvals', words.approvals.tab],
    ['/projects/$projectId/settings', words.project.settings],
  ] as const
  return [
    ...places.map(([to, text]) => ({
      id: to,
      group: palette.goTo,
      text,
      note: project.name,
      act: () => void navigate({ to, params }),
    })),
    ...(Object.keys(words.settings.keys) as SettingKey[]).map((key) => ({
      id: `setting-${key}`,
      group: palette.settings,
      text: words.settings.keys[key],
      note: project.name,
      act: () => void navigate({ to: '/projects/$projectId/settings', params, hash: key }),
    })),
  ]
}

export function paletteItems(sources: Sources): PaletteItem[] {
  const { words, home, may, navigate, signOut } = sources
  const { palette } = words
  const creations = [
    ...(may.write
      ? ([
          ['session', words.now.newSession],
          ['project', words.projects.new],
        ] as const)
      : []),
    ...(may.manage
      ? ([
          ['import', words.now.importing.title],
          ['agent', words.agents.new],
          ['person', words.people.add],
          ['token', words.tokens.new],
        ] as const)
      : []),
  ]
  return [
    ...navItems.map(({ to, name }) => ({
      id: `place-${name}`,
      group: palette.goTo,
      text: words.places[name],
      act: () => void navigate({ to }),
    })),
    {
      id: 'place-notes',
      group: palette.goTo,
      text: words.conversations.notes,
      act: () => void navigate({ to: '/conversations/notes' }),
    },
    ...itemsOfProject(sources),
    ...creations.map(([what, text]) => ({
      id: `new-${what}`,
      group: palette.actions,
      text,
      act: () => void navigate({ to: '.', search: { new: what } }),
    })),
    ...(home?.projects ?? []).map(({ id, name, path }) => ({
      id,
      group: palette.projects,
      text: name,
      ...(path && { note: path }),
      act: () => void navigate({ to: '/projects/$projectId', params: { projectId: id } }),
    })),
    ...(home?.agents ?? []).map(({ id, name }) => ({
      id: `agent-${id}`,
      group: palette.agents,
      text: name,
      note: id,
      act: () => void navigate({ to: '/agents/$agentId', params: { agentId: id } }),
    })),
    ...themes.map((theme) => ({
      id: `theme-${theme}`,
      group: words.preferences.theme,
      text: palette.theme(words.preferences.themes[theme]),
      act: () => themeChoice.set(theme),
    })),
    ...languages.map((language) => ({
      id: `language-${language}`,
      group: words.preferences.language,
      text: palette.language(words.preferences.languages[language]),
      act: () => languageChoice.set(language),
    })),
    { id: 'sign-out', group: palette.actions, text: words.preferences.signOut, act: signOut },
  ]
}

/**
 * Matches items that contain every typed word; those that begin with it come first within their
 * group.
 */
export function matching(
  items: readonly PaletteItem[],
  typed: string,
  most: number,
): PaletteItem[] {
  const parts = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const scored = items.flatMap((item) => {
    const text = `${item.text} ${item.note ?? ''} ${item.group}`.toLowerCase()
    if (!parts.every((part) => text.includes(part))) return []
    return [{ item, first: parts.every((part) => item.text.toLowerCase().includes(part)) }]
  })
  const best = [
    ...scored.filter(({ first }) => first),
    ...scored.filter(({ first }) => !first),
  ].slice(0, most)
  const groups = [...new Set(best.map(({ item }) => item.group))]
  return groups.flatMap((group) =>
    best.filter(({ item }) => item.group === group).map(({ item }) => item),
  )
}
