/**
 * Each agent in `workplace` and in `strict` with the gateway (SB2, SB6, GW1): it writes after it
 * was allowed, commits, is killed, comes back, and never has the key of its model.
 */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { probeSandbox } from '../../src/platform/processes/sandbox-probe.ts'
import { installedAgents } from './installed.ts'
import { openLife, plantedKey } from './life.ts'

const { works, problem } = await probeSandbox(process.env)
const modes = ['workplace', 'strict'] as const
const boxed = works
  ? installedAgents().flatMap((agent) => modes.map((mode) => ({ ...agent, mode })))
  : []
const longestMs = 10 * 60_000

if (!works)
  test(`[SB2] no agent was tried in a sandbox here: ${problem}`, () => {
    expect(works).toBe(false)
  })

test.each(boxed)(
  '[SB6] [GW1] $name in $mode: writes, asks, commits, is killed and comes back, with no key',
  async ({ mode, ...agent }) => {
    const { name, recipe } = agent
    const life = await openLife(agent, mode)
    await life.spawn()
    expect((await life.say('hello there')).end).toMatchObject({
      error: null,
      content: 'echo: hello there',
    })
    const wrote = await life.say(`[[write ${life.file('notes.txt')} by ${name}]] first`)
    expect(wrote.end).toMatchObject({ error: null })
    expect(wrote.asked.length > 0, JSON.stringify([wrote.end, wrote.calls])).toBe(recipe.asks)
    const commit = await life.say(
      '[[run git add -A && git commit -qm "by an agent" && git log -1 --format=committed:%s]] commit',
    )
    expect(commit.end.content).toContain('committed:by an agent')
    expect(life.project.git('log', '-1', '--format=%s', life.ready.branch).trim()).toBe(
      'by an agent',
    )
    expect(life.project.git('show', `${life.ready.branch}:notes.txt`).trim()).toBe(`by ${name}`)
    // What it could read of itself and of others.
    const outside = await life.say(
      `[[run env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; ls -A ~/..; cat ${life.house.holdfast.data}/* ]] look`,
    )
    const shown = JSON.stringify([outside.end, outside.calls])
    expect(shown).not.toContain(plantedKey)
    expect(life.model.keys).toEqual(new Set([plantedKey]))
    const counted = life.model.sent.filter(({ used }) => used).length
    expect(counted).toBeGreaterThan(3)

    const processes = await life.processes()
    await life.killed(processes.at(-1) ?? 0)
    const [outer] = processes
    if (outer !== undefined && existsSync(`/proc/${outer}`))
      await life.killed(outer).catch(() => {})
    await life.person.next(['agent:failed'], name)
    expect(await life.spawn(true)).toMatchObject({ notRestored: null })
    expect((await life.say('after the kill')).end.content).toContain('echo: after the kill')
    await life.terminate()
  },
  longestMs,
)
