/** Titles, notices, compactions, pictures and ids of messages, as an agent sends them (AC8). */
import { expect, test } from 'vitest'
import { AcpAgent } from '../../support/acp-agent.ts'
import { hostile } from '../../support/hostile-agent.ts'

test('[AC8] what an agent shows beside its text arrives in order, and two messages do not run together', async () => {
  const agent = new AcpAgent({
    command: hostile({
      onPrompt: `const chunk = (text, messageId) => update({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } })
        chunk('one', 'a'); chunk(' more', 'a'); chunk('two', 'b')
        update({ sessionUpdate: 'session_info_update', title: 'A talk' })
        update({ sessionUpdate: 'notice', severity: 'warning', title: 'Careful' })
        update({ sessionUpdate: 'compaction_update', compactionId: 'c', status: 'in_progress' })
        update({ sessionUpdate: 'compaction_summary_chunk', compactionId: 'c', content: { type: 'text', text: 'short' } })
        update({ sessionUpdate: 'agent_message_chunk', content: { type: 'image', mimeType: 'image/png', data: 'AAAA' } })
        update({ sessionUpdate: 'agent_message_chunk', content: { type: 'audio', mimeType: 'audio/wav', data: 'no base64' } })
        done()`,
    }),
  })
  await agent.ready()
  expect(await agent.say('go')).toMatchObject({ outcome: 'answered' })
  expect(agent.text).toBe('one more\n\ntwo')
  const others = agent.updates.filter(({ kind }) => kind !== 'text' && kind !== 'compaction')
  expect(others).toEqual([
    { kind: 'title', title: 'A talk' },
    { kind: 'notice', severity: 'warning', title: 'Careful', description: null },
    { kind: 'media', media: 'image', mimeType: 'image/png', data: 'AAAA' },
    { kind: 'media', media: 'audio', mimeType: 'audio/wav', data: null },
  ])
  expect(agent.updates.findLast(({ kind }) => kind === 'compaction')).toMatchObject({
    summary: 'short',
    status: 'in_progress',
  })
  expect(agent.troubles).toEqual([])
})
