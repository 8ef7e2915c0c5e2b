/**
 * SE19, LD7: a push goes to its address and nowhere else, and runs nothing, whatever the repository
 * that it is made from, and the one that receives it, have in their configuration and hooks. Each
 * trap has its control: plain git falls into it.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configTraps } from '../../support/git-config-traps.ts'
import { hookTraps } from '../../support/git-hook-traps.ts'
import { serveRepository } from '../../support/git-over-http.ts'
import { makeRepository } from '../../support/git-repository.ts'
import { type Scene, sceneWith, type Trap } from '../../support/git-traps.ts'
import { machineFor, wantedPlan } from '../../support/hostile-project.ts'
import {
  addressTraps,
  forbiddenHost,
  httpTraps,
  originOf,
  pathTraps,
  receivingTraps,
  sshTraps,
} from '../../support/push-traps.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const token = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'

/** An ssh that does here what it is told to do there. */
function sshTo(scene: Scene): void {
  const script =
    '#!/bin/sh\nfor last; do :; done\ncase "$*" in *-G*) exit 1;; esac\nexec sh -c "$last"\n'
  writeFileSync(join(scene.bin, 'ssh'), script, { mode: 0o755 })
}

const bareOf = (folder: string): string => {
  const bare = temporaryFolder()
  execFileSync('git', ['clone', '--quiet', '--bare', folder, bare])
  return bare
}

const branchesOf = (folder: string): string =>
  execFileSync('git', ['-C', folder, 'for-each-ref', '--format=%(refname:short)', 'refs/heads'], {
    encoding: 'utf8',
  })

/** Pushes as a landing does, from a worktree with work in it. */
async function landed(scene: Scene, credential: { username: string; password: string } | null) {
  const { make, ask } = machineFor(scene, async () => credential)
  const tree = await make('auth')
  tree.write('work.md', 'work\n')
  const where = { top: tree.folder, key: 'web:p.a' }
  const plan = await ask({ ...wantedPlan, ...where, how: 'push' })
  expect(plan.blocks).toEqual([])
  for (const step of plan.steps) {
    const answer = await ask({ kind: 'land-step', ...where, step, landingId: 'l', n: 0 })
    if (answer.outcome !== 'done') return answer
  }
  return { outcome: 'done', branch: plan.steps.at(-1).remoteBranch }
}

const everywhere = [...configTraps, ...hookTraps]
const places = { address: 'http://127.0.0.1:1/shop/web.git', elsewhere: 'http://127.0.0.1:2' }
const named = (traps: readonly Trap[]) => traps.map(({ name }) => name)

test.each([...named(addressTraps(places)), ...named(httpTraps(places))])(
  '[SE19] control: plain git falls into %s',
  async (name) => {
    const { address } = await serveRepository(bareOf(makeRepository().folder), token)
    const elsewhere = await forbiddenHost()
    const its = { address, elsewhere: elsewhere.url }
    const trap = [...addressTraps(its), ...httpTraps(its)].filter((each) => each.name === name)
    const scene = sceneWith(trap)
    originOf(scene, address)
    let said = ''
    for (const command of trap[0]?.control ?? []) said += await scene.bare(command)
    expect([...scene.sprung(), ...elsewhere.heard], said).not.toEqual([])
  },
)

test.each([...sshTraps, ...pathTraps].map((trap) => [trap.name, trap] as const))(
  '[SE19] control: plain git falls into %s',
  async (name, trap) => {
    const scene = sceneWith([trap])
    const bare = bareOf(makeRepository().folder)
    originOf(scene, sshTraps.includes(trap) ? `git@127.0.0.1:${bare}` : bare)
    const said = await scene.bare(trap.control?.[0] ?? '')
    expect(scene.sprung(), said).toContain(name)
  },
)

test.each(
  [...receivingTraps, ...hookTraps.filter(({ name }) => /receive|update$/.test(name))].map(
    (trap) => [trap.name, trap] as const,
  ),
)('[SE19] control: the repository that receives a plain push runs %s', async (name, trap) => {
  const target = sceneWith([trap])
  const scene = sceneWith([])
  originOf(scene, target.folder)
  const [command = ''] = trap.control ?? []
  const said = await scene.bare(command.replace('push . ', 'push origin '))
  expect(target.sprung(), said).toContain(name)
})

test('[SE19] [LD7] a push over http comes to its address alone, and runs nothing', async () => {
  const bare = bareOf(makeRepository().folder)
  const { address } = await serveRepository(bare, token)
  const elsewhere = await forbiddenHost()
  const its = { address, elsewhere: elsewhere.url }
  const scene = sceneWith([...everywhere, ...addressTraps(its), ...httpTraps(its), ...pathTraps])
  originOf(scene, address)
  const { branch } = await landed(scene, { username: 'x-access-token', password: token })
  expect(branchesOf(bare)).toContain(branch)
  expect([scene.sprung(), elsewhere.heard]).toEqual([[], []])
})

test('[SE19] [LD7] a push over ssh comes to its address alone, and runs nothing', async () => {
  const bare = bareOf(makeRepository().folder)
  const address = `git@127.0.0.1:${bare}`
  const elsewhere = await forbiddenHost()
  const its = { address, elsewhere: elsewhere.url }
  const scene = sceneWith([...everywhere, ...addressTraps(its), ...sshTraps, ...pathTraps])
  originOf(scene, address)
  sshTo(scene)
  const { branch } = await landed(scene, null)
  expect(branchesOf(bare)).toContain(branch)
  expect([scene.sprung(), elsewhere.heard]).toEqual([[], []])
})

test('[SE19] [LD7] a push to a path runs nothing, and leaves what is in use', async () => {
  const target = sceneWith([...everywhere, ...receivingTraps])
  const elsewhere = await forbiddenHost()
  const its = { address: target.folder, elsewhere: elsewhere.url }
  const scene = sceneWith([...everywhere, ...addressTraps(its), ...pathTraps])
  originOf(scene, target.folder)
  expect(await landed(scene, null)).toMatchObject({
    outcome: 'refused',
    why: expect.stringContaining('is checked out in'),
  })
  target.git('symbolic-ref', 'HEAD', 'refs/heads/main')
  target.git('branch', '-D', 'holdfast/1c55ab10-auth')
  const second = sceneWith([...everywhere, ...addressTraps(its), ...pathTraps])
  originOf(second, target.folder)
  const { branch } = await landed(second, null)
  expect(branchesOf(target.folder)).toContain(branch)
  expect([target.sprung(), scene.sprung(), second.sprung(), elsewhere.heard]).toEqual([
    [],
    [],
    [],
    [],
  ])
})

test('[LD8] a push goes through the proxy of the machine, which gets no token', async () => {
  const bare = bareOf(makeRepository().folder)
  const { address } = await serveRepository(bare, token)
  const asking = 'HTTP/1.1 407 Who\r\nproxy-authenticate: Basic realm="x"'
  const proxy = await forbiddenHost(asking)
  const scene = sceneWith([])
  originOf(scene, address)
  const credential = { username: 'x-access-token', password: token }
  const behind = { ...scene, env: { ...scene.env, http_proxy: proxy.url } }
  expect(await landed(behind, credential)).toMatchObject({ code: 'push_refused' })
  expect(proxy.heard.join('')).toContain(address)
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64')
  const again = async (variables: Record<string, string>) => {
    const next = sceneWith([])
    originOf(next, address)
    return landed({ ...next, env: { ...next.env, ...variables } }, credential)
  }
  expect(await again({ http_proxy: proxy.url, no_proxy: '127.0.0.1' })).toMatchObject({
    outcome: 'done',
  })
  // One with a name in its address: git asks its helpers for the password.
  proxy.heard.splice(0)
  const withName = proxy.url.replace('//', '//ada@')
  expect(await again({ http_proxy: withName })).toMatchObject({ code: 'push_refused' })
  expect([token, basic].filter((word) => proxy.heard.join('').includes(word))).toEqual([])
})

test('[LD7] no redirect is followed, and no password of an address is used', async () => {
  const remote = await serveRepository(bareOf(makeRepository().folder), token)
  const elsewhere = await forbiddenHost()
  remote.redirectTo(elsewhere.url)
  const scene = sceneWith([])
  originOf(scene, remote.address.replace('http://', `http://ada:${token}@`))
  expect(await scene.bare('push origin main:pushed')).toContain('500')
  expect(elsewhere.heard.splice(0)).not.toEqual([])
  const answer = await landed(scene, { username: 'x-access-token', password: token })
  expect(answer).toMatchObject({ outcome: 'refused', code: 'push_refused' })
  expect(JSON.stringify(answer)).not.toContain(token)
  expect(elsewhere.heard).toEqual([])
})
