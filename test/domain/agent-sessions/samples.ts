/** Agent sessions to decide about: each test names only what it is about. */
import {
  begin,
  type EndReason,
  type LiveAgentSession,
} from '../../../src/domain/agent-sessions/lifecycle.ts'
import { type Instant, later } from '../../../src/domain/instant.ts'

export const start: Instant = '2026-03-01T09:00:00.000Z'
const minute = 60_000
export const atMinute = (minutes: number): Instant => later(start, minutes * minute)

type Given = Partial<
  Pick<
    LiveAgentSession,
    'id' | 'purpose' | 'launchId' | 'lastAnswerAt' | 'suspectedAt' | 'expiresAt'
  >
>

const lease = {
  id: 'lease',
  agentId: 'ada',
  projectId: 'p',
  lane: '',
  purpose: 'chat',
  launchId: null,
  workSessionId: null,
} as const

export const active = (given: Given = {}) => ({ ...begin(start, lease, 60 * minute), ...given })

export const terminating = (terminatingAt: Instant, given: Given = {}) =>
  ({ ...active(given), state: 'terminating', terminatingAt }) as const

export const ended = (endReason: EndReason, given: Given = {}) =>
  ({ ...terminating(start, given), state: 'ended', endedAt: start, endReason }) as const
