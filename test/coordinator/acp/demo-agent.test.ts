/**
 * The demo agent as a real process, through our side of ACP: every directive, each with what a
 * person would see of it.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isAlive } from '../../../src/platform/files/run-file.ts'
import { AcpAgent } from '../../support/acp-agent.ts'

test('[AC1] the version is negotiated and the session opened, with the modes and commands the agent has', async () => {
  const agent = new AcpAgent()
  const { facts, opened } = await agent.ready()
  expect(facts).toMatchObject({
    name: 'holdfast-demo',
    abilities: { load: true, images: true, mcpOverHttp: true },
    signInWays: [],
  })
  expect(opened).toMatchObject({ how: 'new', notRestored: null, modeId: 'default' })
  expect(opened.modes.map(({ id }) => id)).toEqual(['default', 'careful'])
  await agent.until(() => agent.updates.some(({ kind }) => kind === 'commands'))
  expect(agent.updates).toContainEqual({
    kind: 'commands',
    commands: [{ name: 'echo', description: 'Say it again', hint: 'what to say' }],
  })
})

test('[AC1] the text of the demo agent is streamed, and a turn ends with its reason', async () => {
  const agent = new AcpAgent()
  await agent.ready()
  expect(await agent.say('hello')).toEqual({
    outcome: 'answered',
    stopReason: 'end_turn',
    error: null,
    usage: null,
    empty: false,
    cancelIgnored: false,
    unasked: false,
    promptRejected: false,
  })
  expect(agent.text).toBe('echo: hello')
  await agent.say('[[say Good morning]] and [[slow 3 1]]')
  expect(agent.text).toBe('echo: helloGood morning\npiece 1 piece 2 piece 3\necho: and')
  expect((await agent.say('[[say]]')).empty).toBe(true)
  expect(agent.updates.at(-1)).toMatchObject({ kind: 'usage', size: 100_000 })
  expect(agent.troubles).toEqual([])
})

test('[AC1] the pieces of a long answer are joined to few, and none is lost', async () => {
  const agent = new AcpAgent()
  await agent.ready()
  await agent.say('[[slow 10000 0]]')
  const expected = Array.from({ length: 10_000 }, (_, index) => `piece ${index + 1}`).join(' ')
  expect(agent.text).toBe(expected)
  const pieces = agent.updates.filter(({ kind }) => kind === 'text')
  expect(pieces.length).toBeLessThan(500)
  for (const piece of pieces)
    expect(piece.kind === 'text' && piece.text.length).toBeLessThanOrEqual(4097)
})

test('[AC1] a file is written as a tool call that can be followed, and a plan as it goes', async () => {
  const agent = new AcpAgent()
  await agent.ready()
  await agent.say('[[write notes/a.txt two words]] [[plan]]')
  expect(readFileSync(join(agent.folder, 'notes/a.txt'), 'utf8')).toBe('two words')
  const calls = agent.updates.flatMap((update) => (update.kind === 'tool' ? [update.call] : []))
  expect(calls.at(-1)).toMatchObject({
    title: 'Write notes/a.txt',
    toolKind: 'edit',
    status: 'completed',
    input: '{"path":"notes/a.txt","text":"two words"}',
    content: [{ type: 'diff', oldText: null, newText: 'two words' }],
  })
  expect(agent.updates).toContainEqual({ kind: 'thought', text: 'Three steps will do.' })
  const plans = agent.updates.flatMap((update) => (update.kind === 'plan' ? [update.entries] : []))
  expect(plans.at(-1)?.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
  await agent.say('[[write ../out.txt x]]')
  expect(agent.text).toContain('refused to write ../out.txt')
})

test('[AP4] a permission is asked with its options and digest, and chosen by kind', async () => {
  const answers = [
    { choose: 'allow' },
    { choose: 'deny' },
    { optionId: 'yes-always' },
    { optionId: 'unheard-of' },
  ] as const
  let next = 0
  const agent = new AcpAgent({ answer: () => answers[next++] ?? { choose: 'deny' } })
  await agent.ready()
  for (const _ of answers) await agent.say('[[ask]][[write a.txt x]]')
  expect(agent.text).toBe(
    [
      'allowed\nwrote a.txt',
      'refused\ndid not write a.txt',
      'allowed\nwrote a.txt',
      'refused\ndid not write a.txt',
    ].join(''),
  )
  const [first, second] = agent.questions
  expect(first?.options.map(({ kind }) => kind)).toEqual([
    'allow_once',
    'allow_always',
    'reject_once',
  ])
  expect(first?.call.title).toBe('The demo agent was told to ask')
  expect(first?.digest).toMatch(/^[0-9a-f]{64}$/)
  expect(second?.digest).toBe(first?.digest)
})

test('[AG6] a mode can be changed: careful asks before each file', async () => {
  const agent = new AcpAgent({ answer: () => ({ choose: 'deny' }) })
  await agent.ready()
  await agent.context.configure({ modeId: 'careful' })
  await agent.until(() => agent.updates.some(({ kind }) => kind === 'mode'))
  expect(agent.updates).toContainEqual({ kind: 'mode', modeId: 'careful' })
  await agent.say('[[write a.txt x]]')
  expect(existsSync(join(agent.folder, 'a.txt'))).toBe(false)
  expect(agent.questions[0]?.call.input).toBe('{"path":"a.txt","text":"x"}')
  await expect(agent.context.configure({ modeId: 'reckless' })).rejects.toMatchObject({
    code: 'refused',
  })
})

test('[RL6] a turn is cancelled without the agent ending, whatever it does: talks, hangs or waits for a person', async () => {
  const agent = new AcpAgent({ answer: () => new Promise(() => {}) })
  await agent.ready()
  for (const text of ['[[slow 1000 20]]', '[[hang]]', '[[ask]]']) {
    const turn = agent.say(text)
    const asked = agent.questions.length
    if (text === '[[ask]]') await agent.until(() => agent.questions.length > asked)
    if (text.startsWith('[[slow')) await agent.until(() => agent.text.includes('piece 1'))
    agent.context.cancel()
    expect(await turn).toMatchObject({
      outcome: 'cancelled',
      stopReason: 'cancelled',
      cancelIgnored: false,
    })
  }
  expect(await agent.say('still there?')).toMatchObject({ outcome: 'answered' })
})

test('[AC3] a crash in a turn ends the conversation and nothing else', async () => {
  const agent = new AcpAgent()
  await agent.ready()
  await expect(agent.say('[[crash]]')).rejects.toMatchObject({ code: 'ended' })
  expect((await agent.exit).code).toBe(1)
  await agent.connection.ended
  expect(agent.stderr).toContain('told to crash')
})

test('[AC3] a line of 100 MB is thrown away as it comes, counted, and the agent goes on', async () => {
  const agent = new AcpAgent()
  await agent.ready()
  const before = process.memoryUsage().rss
  await agent.say('[[flood 104857600]]')
  expect(agent.text).toBe('flooded 104857600 bytes')
  expect(agent.troubles).toMatchObject([
    { kind: 'line_too_long', count: 1, bytes: 104_857_600, sample: 'x'.repeat(200) },
  ])
  // Kept, it would be all of it; what the process takes for itself under load comes and goes.
  expect(process.memoryUsage().rss - before).toBeLessThan(96 * 1024 * 1024)
  await agent.say('hello')
  expect(agent.text).toContain('echo: hello')
})

test('[AC4] after a crash the old session is brought back, and what is replayed becomes nothing new', async () => {
  const first = new AcpAgent()
  const { opened } = await first.ready()
  await first.say('remember this')
  await expect(first.say('[[crash]]')).rejects.toMatchObject({ code: 'ended' })

  const second = new AcpAgent({ folder: first.folder, state: first.state })
  await second.connection.initialize()
  const again = await second.reopen(opened.acpSessionId)
  expect(again).toMatchObject({
    how: 'loaded',
    acpSessionId: opened.acpSessionId,
    notRestored: null,
  })
  expect(second.updates.filter(({ kind }) => kind !== 'commands')).toEqual([])
  expect(second.troubles).toEqual([])
  await second.say('go on')
  expect(second.text).toBe('echo: go on')
})

test('[AC4] a session that was never used cannot be brought back: a new one is opened, and says so', async () => {
  const agent = new AcpAgent()
  await agent.connection.initialize()
  const opened = await agent.reopen('00000000-0000-4000-8000-000000000000')
  expect(opened).toMatchObject({
    how: 'new',
    notRestored: { text: expect.stringContaining('session/load'), notice: { code: 'about' } },
  })
  expect(opened.acpSessionId).not.toBe('00000000-0000-4000-8000-000000000000')
  expect(await agent.say('hello')).toMatchObject({ outcome: 'answered' })
})

test('[AC1] the demo agent ends when its input does, unless it was told to stay or to ignore SIGTERM', async () => {
  const polite = new AcpAgent()
  await polite.ready()
  polite.connection.close()
  expect(await polite.exit).toEqual({ code: 0, signal: null })

  const stubborn = new AcpAgent()
  await stubborn.ready()
  await stubborn.say('[[ignore-sigterm]][[fork]]')
  const forked = Number(/forked (\d+)/.exec(stubborn.text)?.[1])
  expect(isAlive({ pid: forked })).toBe(true)
  stubborn.connection.close()
  stubborn.child.kill('SIGTERM')
  stubborn.child.kill('SIGCONT')
  expect(stubborn.child.exitCode).toBe(null)
  stubborn.kill()
  expect((await stubborn.exit).signal).toBe('SIGKILL')
})
