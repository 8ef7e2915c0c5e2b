/**
 * A machine joins a server: `holdfast coordinator` with a token made for it, and a data folder of
 * its own.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { main } from '../support/built-product.ts'
import { openChat } from '../support/chat.ts'
import { agentsOf } from '../support/coordinator-process.ts'
import { startHoldfast } from '../support/running-server.ts'
import { startTlsProxy } from '../support/self-signed.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface Joined {
  readonly child: ChildProcess
  readonly said: () => string
  readonly exit: Promise<number | null>
}

function joinWith(args: readonly string[], env: Readonly<Record<string, string>> = {}): Joined {
  const child = spawn(process.execPath, [main, 'coordinator', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    child.kill('SIGINT')
    await once(child, 'exit')
  })
  let said = ''
  child.stderr.on('data', (bytes) => (said += bytes))
  return {
    child,
    said: () => said,
    exit: once(child, 'close').then(([code]) => code as number | null),
  }
}

test('[CO1] [SC4] a coordinator joins with a token made for it, runs agents, and leaves nothing when it is stopped', async () => {
  const holdfast = await startHoldfast()
  onTestFinished(() => holdfast.kill())
  const client = createClient({ url: holdfast.url, token: holdfast.token })
  const { token, id } = await client.post('/api/tokens', {
    body: { name: 'workshop', kind: 'coordinator' },
  })
  const data = temporaryFolder()
  const tokenFile = join(data, 'token.txt')
  writeFileSync(tokenFile, `${token}\n`)
  const args = [
    '--server',
    holdfast.url,
    '--token-file',
    tokenFile,
    '--data',
    data,
    '--label',
    'bench',
    '--capacity',
    '3',
  ]
  const workshop = joinWith(args)
  const chat = await openChat(holdfast)
  await chat.open()
  await chat.say('hello')
  expect(await chat.answer()).toBe('echo: hello')
  expect((await client.get('/api/coordinators', { query: {} })).items).toMatchObject([
    { id, state: 'connected', processes: 1, labels: ['bench'], capacity: 3 },
  ])
  expect(await agentsOf(data)).not.toEqual([])
  expect(workshop.said()).not.toContain(token)

  const second = joinWith(args)
  expect(await second.exit).toBe(1)
  expect(second.said()).toContain(`pid ${workshop.child.pid}`)

  workshop.child.kill('SIGTERM')
  expect(await workshop.exit).toBe(0)
  expect(await agentsOf(data)).toEqual([])
  expect((await client.get('/api/coordinators', { query: {} })).items).toMatchObject([
    { id, state: 'stopped', processes: 0 },
  ])
  expect((await chat.processes())[0]).toMatchObject({ state: 'ended', reason: 'shutdown' })
})

test('[SC4] [SE2] a coordinator joins over TLS with a certificate of one’s own, and so do the agents it starts; without it none gets in', async () => {
  const proxy = await startTlsProxy()
  const holdfast = await startHoldfast({ args: ['--public-url', proxy.url, '--behind-proxy'] })
  onTestFinished(() => holdfast.kill())
  proxy.leadTo(holdfast.url)
  const client = createClient({ url: holdfast.url, token: holdfast.token })
  const { token, id } = await client.post('/api/tokens', {
    body: { name: 'far away', kind: 'coordinator' },
  })
  const data = temporaryFolder()
  const [tokenFile, authority] = [join(data, 'token.txt'), join(data, 'authority.pem')]
  writeFileSync(tokenFile, token)
  writeFileSync(authority, proxy.cert)
  const args = ['--server', proxy.url, '--token-file', tokenFile, '--data', data]
  const untrusted = joinWith(args, { NODE_EXTRA_CA_CERTS: '' })
  await once(untrusted.child.stderr as Readable, 'data')
  while (!untrusted.said().includes('certificate'))
    await once(untrusted.child.stderr as Readable, 'data')
  untrusted.child.kill('SIGTERM')
  expect(await untrusted.exit).toBe(0)

  joinWith(args, { NODE_EXTRA_CA_CERTS: authority })
  const chat = await openChat(holdfast)
  await chat.open()
  await chat.say('hello')
  expect(await chat.answer()).toBe('echo: hello')
  expect((await client.get('/api/coordinators', { query: {} })).items).toMatchObject([
    { id, state: 'connected', processes: 1 },
  ])
})

test('[CO1] without a token it says where to get one, and the owner token is never used for it', async () => {
  const holdfast = await startHoldfast()
  onTestFinished(() => holdfast.kill())
  const { exit, said } = joinWith(['--data', holdfast.data])
  expect(await exit).not.toBe(0)
  expect(said()).toContain('token create --kind coordinator')
})
