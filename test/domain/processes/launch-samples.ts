/** Launches to decide about. */
import { type Launch, order } from '../../../src/domain/processes/lifecycle.ts'

export const now = '2026-03-01T09:00:00.000Z'
const ids = { id: 'l', agentId: 'ann', projectId: 'p', lane: '', coordinatorId: 'c' }

export const waiting: Launch = order(now, ids, null)
export const held: Launch = order(now, ids, 'It failed 3 times')
export const starting: Launch = { ...waiting, state: 'starting', startedAt: now }
export const running: Launch = { ...starting, state: 'running', pid: 4711, birth: '99' }
export const over: Launch = {
  ...running,
  state: 'ended',
  endedAt: now,
  exitCode: 0,
  reason: 'exited',
}
export const stopping: Launch = { ...running, stopOrderedAt: now, stopReason: 'idle' }
