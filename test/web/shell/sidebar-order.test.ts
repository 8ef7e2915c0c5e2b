/** The sidebar (UI1): projects by activity, their sessions by need, the open one always. */
import { expect, test } from 'vitest'
import type { ListedView } from '../../../web/src/shell/listed-views.ts'
import {
  byActivity,
  inOrderOf,
  isQuiet,
  type ListedProject,
  shownViews,
} from '../../../web/src/shell/sidebar-order.ts'

const view = (id: string, more: Partial<ListedView> = {}): ListedView =>
  ({ id, key: id, state: 'idle', at: '2026-01-01', isSettled: false, ...more }) as ListedView
const project = (id: string, at: string, views: ListedView[] = []): ListedProject =>
  ({ project: { id }, views, at }) as unknown as ListedProject
const ids = (views: readonly ListedView[]) => views.map(({ id }) => id)
const nothing = () => false

test('[UI1] what needs somebody comes first, then the newest, five at most', () => {
  const views = [
    view('old', { at: '2025-12-01' }),
    view('runs', { state: 'working' }),
    view('new', { at: '2026-02-01' }),
    view('done', { state: 'finished' }),
    view('asks', { state: 'waiting' }),
    view('dismissed', { state: 'failed', isSettled: true, at: '2026-01-31' }),
    view('broke', { state: 'failed' }),
  ]
  expect(ids(shownViews(views, nothing))).toEqual(['asks', 'broke', 'runs', 'done', 'new'])
  const isOpen = ({ id }: ListedView) => id === 'old'
  expect(ids(shownViews(views, isOpen)).at(-1)).toBe('old')
})

test('[UI1] projects stand by activity, and keep their order while it is held', () => {
  const listed = [
    project('a', '2026-01-01'),
    project('b', '2026-01-03'),
    project('c', '2026-01-02'),
  ]
  const named = (all: readonly ListedProject[]) => all.map((each) => each.project.id)
  expect(named(byActivity(listed))).toEqual(['b', 'c', 'a'])
  expect(named(inOrderOf(['a', 'b'], listed))).toEqual(['a', 'b', 'c'])
})

test('[UI1] a project is quiet after a week in which nothing happened and nothing waits', () => {
  const now = Date.parse('2026-01-09')
  expect(isQuiet(project('a', '2026-01-01', [view('x')]), now)).toBe(true)
  expect(isQuiet(project('a', '2026-01-03', [view('x')]), now)).toBe(false)
  expect(isQuiet(project('a', '2026-01-01', [view('x', { state: 'waiting' })]), now)).toBe(false)
})
