/**
 * What agents ask in a chat (CN7): with buttons that count once, from who may decide, and never
 * from anybody else. The same cases on stand-ins of Slack and Discord.
 */
import { describe, expect, test } from 'vitest'
import { readApproval } from '../../src/services/approvals/queries.ts'
import { signOutChannelPerson } from '../../src/services/channels/change-channel.ts'
import {
  decideApproval,
  requestApproval,
} from '../../src/services/flows/approvals/request-approval.ts'
import { by } from '../services/projects/installation.ts'
import { amount } from '../support/extent.ts'
import { keep, openDiscord, openPlatform, openSlack, until } from './channel-rooms.ts'

describe.each([
  ['Slack', openSlack],
  ['Discord', openDiscord],
])('%s', (_, openOne) => {
  /** An agent that reads what was written in the direct chat, and may ask there. */
  const openAsking = async () => {
    const opened = await openPlatform(await openOne())
    const { say, history, room, store, pair, standIn } = opened
    await pair()
    say('deploy it')
    await until(async () => (await history()).length === 1)
    const caller = await room.begin()
    await room.handOver(caller)
    const ask = (instructionContent: string, checkpointType = 'deploy') =>
      store.run(requestApproval, { ...caller, checkpointType, instructionContent })
    const statusOf = async (approvalId: number) => {
      const place = { projectId: room.projectId, approvalId, viewer: null }
      return (await store.query(readApproval, place)).status
    }
    const askShown = async (content: string) => {
      const { id } = await ask(content)
      await standIn.until(() => Object.keys(opened.buttons()).length > 0)
      return id
    }
    return { ...opened, ask, askShown, statusOf }
  }

  test('[CN7] a press of a paired person decides once, and the message says who did', async () => {
    const { askShown, buttons, press, standIn, textsIn, statusOf, store } = await openAsking()
    const id = await askShown('Run `make` in **all** of <!channel>')
    expect(textsIn().at(-1)).toContain('asks for approval (deploy)')
    expect(Object.keys(buttons())).toEqual(['Approve', 'Reject'])
    const { Approve: token = '', Reject: other = '' } = buttons()
    press(token)
    await until(async () => (await statusOf(id)) === 'approved')
    await standIn.until(() => Object.keys(buttons()).length === 0)
    expect(textsIn().at(-1)).toMatch(/Run .*make.*✓ Approved by owner, \d\d:\d\d/s)
    for (const each of [token, other]) press(each)
    await until(async () => (await statusOf(id)) === 'approved')
    const again = store.run(decideApproval, { approvalId: id, status: 'rejected', by })
    await expect(again).rejects.toMatchObject({ code: 'approval_decided' })
  })

  test('[CN7] forged, foreign, late and repeated presses: none counts', async () => {
    const opened = await openAsking()
    const { askShown, buttons, press, standIn, statusOf, clock, saidAboutPresses } = opened
    const id = await askShown('Delete everything')
    const { Approve: token = '' } = buttons()
    const forged = Array.from({ length: amount(40, 1000) }, (_each, n) => `${n}${token.slice(4)}`)
    for (const each of forged) press(each)
    press(token, { user: 'Ben' })
    press(token, { in: 'group' })
    press(token.toUpperCase())
    await standIn.until(() => saidAboutPresses().length === forged.length + 3, 120_000)
    expect(saidAboutPresses().filter((said) => said.includes('not valid'))).toHaveLength(
      forged.length + 2,
    )
    expect(saidAboutPresses().filter((said) => said.includes('not known'))).toHaveLength(1)
    clock.advance(8 * 24 * 3_600_000)
    press(token)
    await standIn.until(() => saidAboutPresses().length === forged.length + 4)
    expect(await statusOf(id)).toBe('pending')
  })

  test('[CN7] who was signed out decides nothing any more', async () => {
    const opened = await openAsking()
    const { askShown, buttons, press, standIn, statusOf, store, name, saidAboutPresses } = opened
    const id = await askShown('Go on')
    const userId = name === 'slack' ? 'U1' : '1'
    await store.run(signOutChannelPerson, { channel: name, userId, by })
    press(buttons()['Approve'] ?? '')
    await standIn.until(() => saidAboutPresses().length === 1)
    expect(saidAboutPresses()[0]).toContain('You are not known here')
    expect(await statusOf(id)).toBe('pending')
  })

  test('[CN7] decided elsewhere, the buttons go; decided before it was sent, nothing is', async () => {
    const opened = await openAsking()
    const { askShown, ask, buttons, standIn, store, textsIn, kept, untilLater } = opened
    const id = await askShown('First')
    await store.run(decideApproval, { approvalId: id, status: 'rejected', by })
    await standIn.until(() => Object.keys(buttons()).length === 0)
    expect(textsIn().at(-1)).toMatch(/First.*✗ Rejected by owner/s)
    await kept.stop()
    const { id: second } = await ask('Second', 'other')
    await store.run(decideApproval, { approvalId: second, status: 'approved', by })
    keep(opened, opened.open(), 'two')
    await untilLater(async () => (await opened.state())?.waiting === 0)
    expect(textsIn().join(' ')).not.toContain('Second')
  })

  test('[CN7] what is too long to be shown whole cannot be approved there', async () => {
    const { ask, buttons, standIn, textsIn } = await openAsking()
    const before = textsIn().length
    await ask('x '.repeat(900))
    await standIn.until(() => textsIn().length === before + 1)
    expect(textsIn().at(-1)).toContain('Decide on the page')
    expect(buttons()).toEqual({})
  })
})
