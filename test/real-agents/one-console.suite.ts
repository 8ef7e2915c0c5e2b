/**
 * Real agents of several vendors in one person's console, each in its role (AC5): the whole product
 * but for the model, which follows a script. Each writes in its own worktree after the person has
 * allowed it; one is killed and fails alone; it comes back into its session.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeRepository } from '../support/git-repository.ts'
import {
  addAgent,
  clientOf,
  type Message,
  openHouse,
  openPerson,
  type Person,
} from '../support/person.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { entryOf, installedAgents } from './installed.ts'
import { startModel } from './model/scripted-model.ts'

const installed = installedAgents()
const together = installed.length > 1 ? [installed] : []

/** Writes a file; what it asks is allowed by the person, and counted. */
async function write(person: Person, role: string, file: string, text: string): Promise<number> {
  let asked = 0
  let over = false
  const answered = person.say(role, `[[write ${file} ${text}]] please`).finally(() => (over = true))
  const allow = async (): Promise<void> => {
    while (!over) {
      const { type, approvalId, options } = await person.next(
        ['permission:requested', 'agent:response'],
        role,
      )
      if (type === 'agent:response') return
      asked++
      person.send('permission:answer', {
        approvalId,
        optionId: options.find((each: Message) => each.kind === 'allow_once').optionId,
      })
    }
  }
  await allow()
  expect(await answered).toMatchObject({ error: null })
  expect(readFileSync(file, 'utf8').trim()).toBe(text)
  return asked
}

test.each(together)(
  '[AC5] all in one console, allowed by the person: one is killed and comes back, the others go on',
  async (...agents) => {
    const model = await startModel()
    onTestFinished(() => model.close())
    const house = await openHouse()
    onTestFinished(house.end)
    const { id: projectId } = await clientOf(house).post('/api/projects', {
      body: { name: 'real', path: makeRepository().folder },
    })
    for (const { name, recipe, program } of agents) {
      const { command, args, env } = entryOf(
        program,
        recipe,
        join(temporaryFolder(), name),
        model.url,
      )
      await addAgent(house, name, { file: command, args, env }, projectId)
    }
    const person = await openPerson(house, projectId)
    const ready = await Promise.all(agents.map(({ name }) => person.spawn(name, { agentId: name })))
    expect(new Set(ready.map(({ workspace }) => workspace)).size).toBe(agents.length)
    const asking: string[] = []
    for (const { role, workspace } of ready)
      if ((await write(person, role, join(workspace, 'one.txt'), `by ${role}`)) > 0)
        asking.push(role)
    expect(asking).toEqual(agents.flatMap(({ name, recipe }) => (recipe.asks ? [name] : [])))
    const [first, ...others] = ready
    const { launchId } = (await person.agents()).find(({ role }) => role === first.role)
    const { pid } = await clientOf(house).get('/api/processes/{launchId}', { params: { launchId } })
    process.kill(pid ?? 0, 'SIGKILL')
    expect(await person.next('agent:failed', first.role)).toMatchObject({
      step: 'running',
      signal: 'SIGKILL',
    })
    for (const { role, workspace } of others)
      await write(person, role, join(workspace, 'two.txt'), `again by ${role}`)
    expect(await person.spawn(first.role, { agentId: first.role, load: true })).toMatchObject({
      how: 'resumed',
      notRestored: null,
      workspace: first.workspace,
    })
    expect(await person.say(first.role, 'still there?')).toMatchObject({
      content: 'echo: still there?',
    })
    person.send('session:terminate')
    expect(await person.next('session:terminated')).toMatchObject({
      agentsTerminated: agents.length,
    })
    await expect.poll(() => person.processes(), { timeout: 20_000 }).toEqual([])
  },
)
