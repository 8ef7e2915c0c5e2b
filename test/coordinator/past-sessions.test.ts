/** What a coordinator answers about sessions in agents' own files on its machine. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PastReads } from '../../src/coordinator/past-sessions.ts'
import type {
  PastListAnswer,
  PastTurnsAnswer,
} from '../../src/protocol/conversations/past-requests.ts'
import type { PastAgent } from '../../src/protocol/conversations/past-session.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const samples = join(import.meta.dirname, '../past-sessions/samples')

function open() {
  const reads = new PastReads({
    HOME: temporaryFolder(),
    PI_CODING_AGENT_DIR: join(samples, 'pi/agent'),
    CLAUDE_CONFIG_DIR: join(samples, 'claude/config'),
  })
  const list = async (agent: PastAgent | null, q = '', from = 0): Promise<PastListAnswer> => {
    const answer = await reads.answer({ kind: 'past-list', agent, q, from })
    if (!answer.ok) throw new Error(answer.why)
    return answer.value as PastListAnswer
  }
  return { reads, list }
}

test('[IM9] lists the sessions of a machine, by agent and by words, page by page', async () => {
  const { list } = open()
  expect((await list(null)).total).toBe(21)
  expect((await list('pi')).items).toHaveLength(9)
  expect((await list('claude', 'AUTUMN')).items.map(({ title }) => title)).toEqual(['Autumn sale'])
  expect((await list('pi', '', 8)).items).toHaveLength(1)
})

test('[IM9] gives the turns of one, and its mark with the last piece', async () => {
  const { reads, list } = open()
  const [first] = (await list('claude', 'Autumn')).items
  const ask = { kind: 'past-turns', agent: 'claude', id: first?.id ?? '', piece: 0 } as const
  const answer = await reads.answer(ask)
  expect(answer).toMatchObject({ ok: true, value: { piece: 0, mark: first?.mark } })
  const { turns } = (answer as { value: PastTurnsAnswer }).value
  expect(turns.map(({ prompt }) => prompt)).toContain('the edited question')
  const gone = await reads.answer({ ...ask, id: 'nobody' })
  expect(gone).toMatchObject({ ok: false, reason: 'gone' })
})
