/**
 * Real agents of several vendors, offline, through the coordinator as it runs them: `npm run test:agents`. Those that are not installed are
 * named and not tried; `npm run test:agents -- --install FOLDER` installs them.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allAgents, findProgram, installedAgents } from './installed.ts'
import { openScene } from './scene.ts'

const installed = installedAgents()

for (const { name, recipe } of allAgents().filter(({ program }) => !program))
  test(`[AC5] ${name} is not installed here and was not tried (${recipe.packages.join(' ')})`, () => {
    expect(findProgram(name, recipe, undefined)).toBeUndefined()
  })

test.each(installed)(
  '[AC5] $name: greeted, prompted, asked, refused, given our tools, cancelled, killed and brought back',
  async ({ name, recipe, program }) => {
    const { server, model, door, project, spawn } = await openScene()
    const agent = spawn(name, program, recipe)
    const ready = await agent.ready()
    expect(ready).toMatchObject({ how: 'new', branch: `holdfast/a1b2c3d4/${name}` })
    const file = (path: string): string => join(ready.workspace, path)

    expect(await agent.say('hello there')).toMatchObject({ outcome: 'answered', text: 'echo: hello there' })

    const wrote = await agent.say(`[[write ${file('notes.txt')} written by ${name}]] please`)
    expect(wrote).toMatchObject({ outcome: 'answered' })
    expect(wrote.questions).toBeGreaterThan(0)
    expect(wrote.tools.at(-1)).toMatchObject({ toolKind: 'edit', status: 'completed' })
    expect(readFileSync(file('notes.txt'), 'utf8').trim()).toBe(`written by ${name}`)

    const refused = await agent.say(`[[run touch ${file('never.txt')}]] please`, 'deny')
    expect(refused.questions).toBeGreaterThan(0)
    expect(existsSync(file('never.txt'))).toBe(false)

    expect((await agent.say('[[tool turn_round {"text":"stressed"}]] please')).text).toContain('backwards: desserts')
    expect(door.calls).toEqual(['stressed'])
    expect(door.refused).toBe(0)

    const cancelled = await agent.say('count [[slow 200 50]]', 'allow', (turnId) => server.cancelTurn(agent.launchId, turnId))
    expect(cancelled.outcome).toBe('cancelled')
    expect(await agent.say('still there?')).toMatchObject({ outcome: 'answered', text: 'echo: still there?' })

    await agent.kill()
    const again = spawn(name, program, recipe, ready)
    const back = await again.ready()
    expect(back).toMatchObject({ acpSessionId: ready.acpSessionId, notRestored: null, workspace: ready.workspace })
    expect(
      server.factsOf(again.launchId, 'turn-update').filter((fact) => fact.type === 'turn-update' && fact.turnId !== null),
    ).toEqual([])
    expect(await again.say('after the restart')).toMatchObject({ outcome: 'answered', text: 'echo: after the restart' })
    expect(model.lengths.at(-1)).toBeGreaterThan(8)
    await again.stop()
    expect(project.git('status', '--porcelain')).toBe('')
  },
)

const together = installed.length > 1 ? [installed] : []

test.each(together)(
  '[AC5] all of them at once, each in its role and its own worktree: one is killed and comes back, the others notice nothing',
  async (...agents) => {
    const { server, spawn } = await openScene()
    const roles = await Promise.all(
      agents.map(async ({ name, recipe, program }) => {
        const agent = spawn(name, program, recipe)
        return { name, recipe, program, agent, ready: await agent.ready() }
      }),
    )
    const write = ({ name, agent, ready }: (typeof roles)[number], path: string) =>
      agent.say(`[[write ${join(ready.workspace, path)} by ${name}]] please`)
    for (const { questions, outcome } of await Promise.all(roles.map((role) => write(role, 'one.txt')))) {
      expect(outcome).toBe('answered')
      expect(questions).toBeGreaterThan(0)
    }
    const [first, ...others] = roles
    if (!first) return
    await first.agent.kill()
    for (const { outcome } of await Promise.all(others.map((role) => write(role, 'two.txt')))) expect(outcome).toBe('answered')
    for (const { name, ready } of roles) expect(readFileSync(join(ready.workspace, 'one.txt'), 'utf8').trim()).toBe(`by ${name}`)
    expect(new Set(roles.map(({ ready }) => ready.workspace)).size).toBe(roles.length)
    const back = spawn(first.name, first.program, first.recipe, first.ready)
    expect(await back.ready()).toMatchObject({ acpSessionId: first.ready.acpSessionId, notRestored: null })
    await Promise.all([back, ...others.map(({ agent }) => agent)].map((agent) => agent.stop()))
    expect(server.launches.size).toBe(0)
  },
)
