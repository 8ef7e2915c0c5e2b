/**
 * Slash commands of an agent's own, and names that it takes from its primer (CX19): a scripted
 * agent as a real process.
 */
import { expect, test } from 'vitest'
import { openAgentOnServer } from '../../support/agent-on-server.ts'
import { hostile } from '../../support/hostile-agent.ts'

test('[CX19] a slash command is sent alone, also as the first prompt; the next prompt is primed, and the primer is no title', async () => {
  const room = await openAgentOnServer(
    hostile({
      onPrompt: `const all = params.prompt.map(({ text }) => text)
        update({ sessionUpdate: 'session_info_update', title: all[0].slice(0, 50) })
        say(all.length === 1 && all[0] === '/status' ? 'all is well' : 'told: ' + all.length); done()
        if (all.at(-1) === 'bye') setTimeout(() => process.exit(1), 20)`,
    }),
  )
  const title = async () =>
    (await room.ask(`/api/conversations/${encodeURIComponent(room.key)}`)).title
  expect(await room.tell('/status')).toMatchObject({ text: 'all is well', primer: null })
  expect(await title()).toBe('/status')
  expect(await room.tell('hello')).toMatchObject({
    text: 'told: 2',
    primer: expect.stringContaining('/status'),
  })
  expect(await title()).toBe('/status')
  expect(await room.tell('bye')).toMatchObject({ text: 'told: 1', primer: null })
  await room.gone()
  expect(await room.tell('/status')).toMatchObject({ text: 'all is well', primer: null })
  expect(await room.tell('/home/ada is my folder')).toMatchObject({
    primer: expect.stringContaining('hello'),
  })
})
