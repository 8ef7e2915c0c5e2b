/**
 * What every channel with a socket must do (CN1, CN2, CN4 to CN6): the same cases on stand-ins of
 * Slack and Discord, with whatever goes wrong in between.
 */
import { describe, expect, test } from 'vitest'
import { listChannelPeople } from '../../src/services/channels/queries.ts'
import { by } from '../services/projects/installation.ts'
import type { Trouble } from '../support/platform-stand-in.ts'
import { keep, openDiscord, openPlatform, openSlack, until } from './channel-rooms.ts'

describe.each([
  ['Slack', openSlack],
  ['Discord', openDiscord],
])('%s', (_, openOne) => {
  const openPaired = async () => {
    const opened = await openPlatform(await openOne())
    await opened.pair()
    return opened
  }

  test('[CN2] [CN4] a code alone pairs its sender and lets the direct chat in', async () => {
    const { say, textsIn, standIn, history, store, name, room, pair, answer } = await openPlatform(
      await openOne(),
    )
    say('hello?')
    await standIn.until(() => textsIn().length === 1)
    expect(textsIn()[0]).toContain('Ask its owner')
    await pair()
    const people = await store.query(listChannelPeople, { channel: name, limit: 10 })
    expect(people.items).toMatchObject([{ name: 'Aiko', personId: by }])
    say('good morning')
    await until(async () => (await history()).length === 1)
    const { messages } = await room.handOver(await room.begin())
    expect(messages.map(({ content, senderName }) => [content, senderName])).toEqual([
      ['good morning', 'Aiko'],
    ])
    await answer('echo <@U1> & **so on**')
    await standIn.until(() => textsIn().length === 3)
    expect(textsIn().at(-1)).toMatch(/^echo <@U1> & \*{1,2}so on\*{1,2}$/)
  })

  test('[CN5] a person lets a channel in, where only paired people are heard', async () => {
    const { say, mention, chats, textsIn, standIn, history, letGroupIn } = await openPaired()
    say('just talking', { in: 'group' })
    say(`${mention}beep`, { in: 'group', bot: true })
    await letGroupIn()
    expect((await chats()).filter(({ kind }) => kind === 'group')).toHaveLength(1)
    const before = textsIn('group').length
    say('not for us', { in: 'group' })
    say(`${mention}from nobody`, { in: 'group', user: 'Ben' })
    await standIn.until(() => textsIn('group').length === before + 1)
    expect(textsIn('group').at(-1)).toContain('answers only people it knows')
    say(`${mention}for us`, { in: 'group' })
    say(`${mention}beep`, { in: 'group', bot: true })
    say(`${mention}the end`, { in: 'group' })
    await until(async () => (await history('group')).includes('the end'))
    expect(await history('group')).toEqual(['for us', 'the end'])
  })

  test('[CN5] a message in a thread belongs to it alone, and so does its answer', async () => {
    const { say, mention, chats, textsIn, standIn, history, letGroupIn, answer } =
      await openPaired()
    await letGroupIn()
    say('nobody asked us', { in: 'thread' })
    say(`${mention}a job`, { in: 'thread' })
    say('without a mention', { in: 'thread' })
    await until(async () => (await history('thread')).length === 2)
    expect(await history('thread')).toEqual(['a job', 'without a mention'])
    expect(await history('group')).toEqual([])
    await answer('done', 'thread')
    await standIn.until(() => textsIn('thread').length === 1)
    expect(textsIn('thread')).toEqual(['done'])
    expect(await chats()).toHaveLength(2)
  })

  test.each<[string, Trouble]>([
    ['cut before', 'cut'],
    ['cut after', 'cut-after'],
    ['done and answered with an error', 'fail-after'],
    ['an error', { status: 500 }],
    ['too many', { status: 429, retryAfter: 1 }],
  ])('[CN2] %s: an answer arrives once, without a word about it', async (_name, trouble) => {
    const { standIn, sending, answer, textsIn, untilLater, say, history } = await openPaired()
    say('hello')
    await until(async () => (await history()).length === 1)
    const before = textsIn().length
    await answer('earlier')
    await standIn.until(() => textsIn().length === before + 1)
    standIn.trouble(sending, trouble)
    await answer('one')
    await untilLater(async () => textsIn().length >= before + 2)
    await answer('two')
    await untilLater(async () => textsIn().length >= before + 3)
    expect(textsIn().slice(before)).toEqual(['earlier', 'one', 'two'])
  })

  test('[CN2] another server takes over and sends nothing twice', async () => {
    const opened = await openPaired()
    const { standIn, sending, answer, textsIn, untilLater, kept, say, history } = opened
    say('hello')
    await until(async () => (await history()).length === 1)
    const before = textsIn().length
    standIn.trouble(sending, 'hang')
    await answer('four')
    await standIn.until(() => textsIn().length === before + 1)
    keep(opened, opened.open(), 'two')
    await untilLater(async () => (await opened.state())?.waiting === 0)
    await answer('five')
    await untilLater(async () => textsIn().length >= before + 2)
    expect(textsIn().slice(before)).toEqual(['four', 'five'])
    let isStopped = false
    void kept.stop().then(() => {
      isStopped = true
    })
    await untilLater(async () => isStopped)
  })

  test('[CN6] what was written meanwhile is fetched, once and in order', async () => {
    const opened = await openPaired()
    const { standIn, say, history, kept, untilLater } = opened
    say('one')
    await until(async () => (await history()).length === 1)
    await kept.stop()
    say('two', { unheard: true })
    say('beep', { unheard: true, bot: true })
    say('three', { unheard: true })
    keep(opened, opened.open(), 'two')
    await untilLater(async () => (await history()).length === 3)
    standIn.cutSockets()
    say('four')
    await untilLater(async () => (await history()).length === 4)
    expect(await history()).toEqual(['one', 'two', 'three', 'four'])
  })

  test('[CN6] of more messages than are fetched it is said that there were more', async () => {
    const opened = await openPaired()
    const { say, history, kept, untilLater, textsIn } = opened
    say('one')
    await until(async () => (await history()).length === 1)
    await kept.stop()
    for (let n = 0; n < 230; n++) say(`more ${n}`, { unheard: true })
    keep(opened, opened.open(), 'two')
    await untilLater(async () => textsIn().some((text) => text.includes('more than 200 messages')))
    expect((await history()).length).toBeGreaterThanOrEqual(200)
  })

  test('[CN9] pictures and texts come with a message, and others are named', async () => {
    const { standIn, say, room, history, textsIn, name } = await openPaired()
    const elsewhere = await new (standIn.constructor as new () => typeof standIn)().open()
    const bytes = Buffer.from('# a plan\nfirst')
    standIn.files.set('/files/plan.md', { type: 'text/markdown', bytes })
    standIn.files.set('/files/a.bin', { type: 'x/y', bytes: Buffer.from([0, 255, 1]) })
    elsewhere.files.set('/files/secret.md', { type: 'text/markdown', bytes })
    const file = (path: string, size = bytes.length, root = standIn.url) => ({
      name: path,
      type: 'text/markdown',
      size,
      url: `${root}/files/${path}`,
    })
    const before = textsIn().length
    const files = [
      file('plan.md'),
      file('a.bin', 3),
      file('large.md', 9_000_000),
      file('secret.md', bytes.length, elsewhere.url),
    ]
    say('read this', { files })
    await until(async () => (await history()).length === 1)
    await standIn.until(() => textsIn().length === before + 1)
    expect(textsIn().at(-1)).toContain('Not taken: a.bin, large.md, secret.md.')
    expect(elsewhere.fileCredentials).toEqual([])
    expect(standIn.fileCredentials[0]?.startsWith('xoxb')).toBe(name === 'slack' || undefined)
    const { messages } = await room.handOver(await room.begin())
    expect(messages[0]).toMatchObject({
      media: [{ type: 'file', name: 'plan.md', text: '# a plan\nfirst' }],
    })
    await elsewhere.close()
  })

  test('[CN2] a long answer comes in parts that the platform takes, in order', async () => {
    const { answer, textsIn, say, history, standIn, maxChars } = await openPaired()
    say('hello')
    await until(async () => (await history()).length === 1)
    const before = textsIn().length
    const words = Array.from({ length: 1500 }, (_each, n) => `<w${n}&>`)
    await answer(words.join(' '))
    await standIn.until(() => textsIn().slice(before).join(' ').split(' ').length === words.length)
    expect(textsIn().slice(before).join(' ').split(' ')).toEqual(words)
    for (const text of textsIn()) expect(text.length).toBeLessThanOrEqual(maxChars)
  })

  test('[CN1] commands are answered, and [SE7] a wrong token is never shown', async () => {
    const opened = await openPaired()
    const { say, command, textsIn, standIn, kept, open, state } = opened
    const before = textsIn().length
    say(`${command}help`)
    await standIn.until(() => textsIn().length === before + 1)
    expect(textsIn().at(-1)).toContain(`${command}new begins a new conversation`)
    await kept.stop()
    const wrong = 'xoxb-9999999999-anotherTokenOfNobody'
    const other = keep(opened, open(wrong), 'two')
    await until(async () => (await state())?.state === 'failing')
    expect((await state())?.trouble).toContain('does not accept this token')
    expect(other.log() + JSON.stringify(await state())).not.toContain(wrong.slice(8))
  })
})

test('[CN2] Slack: a mention that comes twice and again is taken once', async () => {
  const platform = await openSlack()
  const { say, mention, letGroupIn, history, pair, isSettled, standIn } =
    await openPlatform(platform)
  await pair()
  await letGroupIn()
  for (const text of ['one', 'two', 'three']) say(`${mention}${text}`, { in: 'group' })
  await standIn.until(isSettled)
  ;(
    standIn as Awaited<ReturnType<typeof openSlack>>['standIn'] & { redeliverAll(): void }
  ).redeliverAll()
  say(`${mention}four`, { in: 'group' })
  await until(async () => (await history('group')).includes('four'))
  expect(await history('group')).toEqual(['one', 'two', 'three', 'four'])
})
