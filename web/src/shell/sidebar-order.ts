/**
 * What the sidebar shows of each project, and in which order (UI1): what needs the person first,
 * then the newest, and always the open session. Pure.
 */
import type { Project } from '../../../src/protocol/projects/project.ts'
import type { ListedView } from './listed-views.ts'
import type { LiveState } from './live-state.ts'

/** Sessions of a project that are shown, and the open one. */
const mostShown = 5
const quietMs = 7 * 86_400_000

const urgency: readonly LiveState[] = [
  'waiting',
  'failed',
  'interrupted',
  'limited',
  'working',
  'starting',
  'finished',
]

const rank = ({ state, isSettled }: ListedView): number => {
  const at = urgency.indexOf(state)
  const isDismissed = isSettled && (state === 'failed' || state === 'interrupted')
  return at === -1 || isDismissed ? urgency.length : at
}

/** Newest first where nothing is more urgent. */
export function shownViews(
  views: readonly ListedView[],
  isOpen: (view: ListedView) => boolean,
): ListedView[] {
  const first = views.toSorted((a, b) => rank(a) - rank(b) || (a.at < b.at ? 1 : -1))
  const shown = first.slice(0, mostShown)
  const open = first.find(isOpen)
  return open && !shown.includes(open) ? [...shown, open] : shown
}

export interface ListedProject {
  readonly project: Project
  readonly views: readonly ListedView[]
  /** When something was last said in it, or it was changed. */
  readonly at: string
}

export function byActivity(listed: readonly ListedProject[]): ListedProject[] {
  return listed.toSorted((a, b) => (a.at < b.at ? 1 : -1))
}

/** The order stays as it was; what is new comes last. */
export function inOrderOf(
  before: readonly string[],
  listed: readonly ListedProject[],
): ListedProject[] {
  const rankOf = ({ project }: ListedProject) => {
    const at = before.indexOf(project.id)
    return at === -1 ? before.length : at
  }
  return listed.toSorted((a, b) => rankOf(a) - rankOf(b))
}

/** Nothing has happened for a week, and nothing in it needs anybody. */
export const isQuiet = ({ at, views }: ListedProject, now: number): boolean =>
  now - Date.parse(at) > quietMs && views.every((view) => rank(view) === urgency.length)
