/**
 * What an agent can write into a repository to lead a push astray: to another address, through a
 * proxy, or to a program. Part of git-traps.ts; the hook of a push is in git-hook-traps.ts.
 */
import { createServer } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { makeRepository, type TestRepository } from './git-repository.ts'
import type { Trap } from './git-traps.ts'

/** Where nobody may come: it counts who does, and hears what they say. */
export async function forbiddenHost(answer = 'HTTP/1.1 500 No') {
  const heard: string[] = []
  const server = createServer((socket) => {
    const at = heard.push('') - 1
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      heard[at] += bytes.toString('latin1')
      socket.end(`${answer}\r\nconnection: close\r\n\r\n`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return { url: `http://127.0.0.1:${port}`, heard }
}

interface Places {
  readonly address: string
  /** That of `forbiddenHost`. */
  readonly elsewhere: string
}

const push = ['push origin main:pushed']

/** Each leads somewhere else, whichever transport the address has. */
export const addressTraps = ({ address, elsewhere }: Places): readonly Trap[] => [
  {
    name: 'push.remote.pushurl',
    config: { 'remote.origin.pushurl': `${elsewhere}/x` },
    control: push,
  },
  {
    name: 'push.url.insteadOf',
    config: { [`url.${elsewhere}/x.insteadOf`]: address },
    control: push,
  },
  {
    name: 'url.pushInsteadOf',
    config: { [`url.${elsewhere}/x.pushInsteadOf`]: address },
    control: push,
  },
  {
    name: '.git/remotes',
    arm: ({ write }) => write('.git/remotes/legacy', `URL: ${elsewhere}/x\n`),
    control: ['push legacy main:pushed'],
  },
  {
    name: '.git/branches',
    arm: ({ write }) => write('.git/branches/older', `${elsewhere}/x\n`),
    control: ['push older main:pushed'],
  },
  { name: 'git-remote-astray', config: { 'remote.origin.vcs': 'astray' }, control: push },
]

/** For an address with http. */
export const httpTraps = ({ address, elsewhere }: Places): readonly Trap[] => [
  { name: 'http.proxy', config: { 'http.proxy': elsewhere }, control: push },
  { name: 'http.URL.proxy', config: { [`http.${address}.proxy`]: elsewhere }, control: push },
  { name: 'remote.proxy', config: { 'remote.origin.proxy': elsewhere }, control: push },
  { name: 'push.credential.helper', config: { 'credential.helper': '@' }, control: push },
  {
    name: 'credential.URL.helper',
    config: { [`credential.${address}.helper`]: '@' },
    control: push,
  },
  { name: 'push.core.askPass', config: { 'core.askPass': '@' }, control: push },
]

/** For an address with ssh. */
export const sshTraps: readonly Trap[] = [
  { name: 'push.core.sshCommand', config: { 'core.sshCommand': '@' }, control: push },
]

/** For a path, where a repository that others write receives the push, with programs of its own. */
export const pathTraps: readonly Trap[] = [
  {
    name: 'remote.receivepack',
    config: { 'remote.origin.receivepack': '@ x' },
    control: push,
  },
]

/** What the repository that receives a push would run. */
export const receivingTraps: readonly Trap[] = [
  {
    name: 'target.core.alternateRefsCommand',
    config: { 'core.alternateRefsCommand': '@ x' },
    arm: ({ write }) =>
      write('.git/objects/info/alternates', `${join(makeRepository().folder, '.git/objects')}\n`),
    control: [push[0] ?? ''],
  },
  {
    name: 'updateInstead',
    attribute: 'filter',
    config: {
      'receive.denyCurrentBranch': 'updateInstead',
      'filter.updateInstead.smudge': '@',
      'filter.updateInstead.clean': '@',
    },
    arm({ write, git }) {
      write('.git/info/attributes', '*.txt filter=updateInstead\n')
      git('switch', '--quiet', '--create', 'holdfast/1c55ab10-auth')
    },
    control: ['push origin ours:holdfast/1c55ab10-auth'],
  },
]

export const originOf = ({ git }: TestRepository, address: string): void =>
  void git('config', 'remote.origin.url', address)
