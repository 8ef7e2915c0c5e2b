/** A client that followed a session has what a fresh snapshot says, whatever happens (AH4). */
import { expect, test, vi } from 'vitest'
import { chatUri } from '../../../src/doors/ahp/names.ts'
import { ahpClient } from '../../support/ahp-client.ts'
import { AhpMirror, plain } from '../../support/ahp-mirror.ts'
import { amount } from '../../support/extent.ts'
import { fc } from '../../support/property.ts'
import type { TestServer } from '../../support/server.ts'
import { liveInChat, lives, ordinaryLife, type Watch } from '../../support/thread-lives.ts'

const connect = async (server: TestServer) => {
  const headers = { authorization: `Bearer ${server.ownerToken}` }
  const client = await ahpClient({ port: server.port, headers })
  await client.initialize()
  return new AhpMirror(client)
}

const threadUriOf = (key: string): string => `coder:/~${Buffer.from(key).toString('base64url')}`

/** The work in the status of a session has no action; clients have it from the chat. */
const comparable = (state: { status: number; lifecycle?: string }): unknown =>
  plain(state.lifecycle === undefined ? state : { ...state, status: state.status & ~31 })

/** Follows, and comes back after connections that break at any moment. */
const follower =
  (drops: readonly number[]): Watch =>
  async (server, key) => {
    const channels = [chatUri(key), threadUriOf(key)]
    let mirror: AhpMirror | undefined
    let step = 0
    return async (trail) => {
      const fresh = await connect(server)
      const begun = await Promise.all(
        channels.map((channel) => fresh.subscribe(channel).catch(() => null)),
      )
      if (begun.includes(null)) return
      if (!mirror) {
        mirror = await connect(server)
        for (const channel of channels) await mirror.subscribe(channel)
      }
      if (drops.includes(step++)) mirror = await comeBack(server, mirror, channels)
      const following = mirror
      // Asked anew each time: what happened may still be on its way to either of the two.
      for (const channel of channels)
        await vi.waitFor(
          async () => {
            const expected = await fresh.subscribe(channel)
            following.follow()
            expect(comparable(following.states.get(channel)), trail).toEqual(comparable(expected))
          },
          { timeout: 5000 },
        )
      fresh.client.close()
    }
  }

async function comeBack(server: TestServer, before: AhpMirror, channels: readonly string[]) {
  before.client.close()
  const headers = { authorization: `Bearer ${server.ownerToken}` }
  const client = await ahpClient({ port: server.port, headers })
  const mirror = new AhpMirror(client)
  const { type, snapshots } = await client.result('reconnect', {
    clientId: 'c1',
    lastSeenServerSeq: before.lastSeq,
    subscriptions: ['ahp-root://', ...channels],
  })
  expect(type).toBe('snapshot')
  for (const snapshot of snapshots) {
    expect(snapshot.fromSeq).toBeGreaterThanOrEqual(before.lastSeq)
    mirror.take(snapshot)
  }
  return mirror
}

test('[AH4] an ordinary life: asked, decided, stopped, failed, killed, begun again', async () => {
  await liveInChat(ordinaryLife, follower([4, 9, 17]))
})

test('[AH4] whatever happens in a chat, what was followed is its snapshot, over broken connections', async () => {
  const drops = fc.uniqueArray(fc.nat(24), { maxLength: 4 })
  const property = fc.asyncProperty(lives, drops, async (steps, at) => {
    await liveInChat(steps, follower(at))
  })
  await fc.assert(property, { numRuns: amount(6, 60) })
}, 600_000)
