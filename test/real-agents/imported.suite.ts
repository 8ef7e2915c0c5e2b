/**
 * A session made in the terminal by the agent's own program, taken in, gone on with here by the
 * same agent and by another, and again in the terminal (IM5, IM6, IM12). Nothing is said twice, and
 * everybody knows what was said before.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../support/command-line.ts'
import { until } from '../support/coordinator-process.ts'
import { makeRepository } from '../support/git-repository.ts'
import { addAgent, clientOf, openHouse } from '../support/person.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { entryOf, installedAgents } from './installed.ts'
import { startModel } from './model/scripted-model.ts'

interface Terminal {
  /** Beside the program that speaks ACP; left out: that one. */
  readonly program?: string
  readonly say: (words: string) => readonly string[]
  readonly goOn: (id: string, words: string) => readonly string[]
}

const terminals: Readonly<Record<string, Terminal>> = {
  claude: {
    program: '../@anthropic-ai/claude-agent-sdk-linux-x64/claude',
    say: (words) => ['-p', words],
    goOn: (id, words) => ['-p', words, '--resume', id],
  },
  codex: {
    program: 'codex',
    say: (words) => ['exec', '--skip-git-repo-check', words],
    goOn: (id, words) => ['exec', '--skip-git-repo-check', 'resume', id, words],
  },
  opencode: {
    say: (words) => ['run', words],
    goOn: (id, words) => ['run', '--session', id, words],
  },
  gemini: {
    say: (words) => ['--skip-trust', '-p', words],
    goOn: (id, words) => ['--skip-trust', '--resume', id, '-p', words],
  },
  pi: {
    program: 'pi',
    say: (words) => ['-p', words],
    goOn: (_, words) => ['-c', '-p', words],
  },
  copilot: {
    say: (words) => ['-p', words, '--allow-all-tools'],
    goOn: (id, words) => ['--resume', id, '-p', words, '--allow-all-tools'],
  },
}

/** Gemini CLI loses a session that is loaded, so its own file has nothing of what is said here. */
const isPrimed = (name: string): boolean => name === 'gemini'

const tried = installedAgents().flatMap((agent) => {
  const terminal = terminals[agent.name]
  return terminal ? [{ ...agent, terminal }] : []
})

/** What the agents here are installed for; without one there is nothing to try. */
test('[IM12] the agents that keep sessions are known by their terminals', () => {
  expect(Object.keys(terminals)).toHaveLength(6)
})

test.each(tried)(
  '[IM12] $name: a session of the terminal goes on here and there, and knows all of it',
  async ({ name, recipe, program, terminal }) => {
    const model = await startModel()
    onTestFinished(() => model.close())
    const home = temporaryFolder()
    const { folder } = makeRepository()
    const { command, args, env } = entryOf(program, recipe, home, model.url)
    const own = terminal.program ? join(program, '..', terminal.program) : program
    const inTerminal = (argv: readonly string[]) => {
      const ran = promisify(execFile)(own, [...argv], { cwd: folder, env: { ...env } })
      ran.child.stdin?.end()
      return ran
    }
    /** Requests for a turn that say these words, since the last look. Titles offer no tools. */
    let looked = 0
    const requestsWith = (words: string): string[] => {
      const turns = model.sent.slice(looked).filter(({ tools }) => tools > 0)
      looked = model.sent.length
      return turns.map(({ text }) => text).filter((text) => text.includes(words))
    }
    await inTerminal(terminal.say('The fact is MAGENTA-7731. [[say Noted]]'))
    expect(requestsWith('MAGENTA-7731')).not.toEqual([])

    const house = await openHouse()
    const client = clientOf(house)
    const project = await client.post('/api/projects', { body: { name: 'own', path: folder } })
    await addAgent(house, name, { file: command, args, env }, project.id)
    await client.put('/api/projects/{projectId}/agents/{agentId}', {
      params: { projectId: project.id, agentId: 'demo' },
      body: {},
    })
    const { url, token } = house.holdfast
    const take = async () => {
      const theirs = { ...env, HOLDFAST_URL: url, HOLDFAST_TOKEN: token }
      const ran = await runCommand(['import', '--from', name, '--json'], { env: theirs })
      expect(ran.code, ran.stderr).toBe(0)
      return ran.json()
    }
    expect(await take()).toMatchObject({ created: 1, turns: 1 })
    const { items } = await client.get('/api/imported-sessions', { query: {} })
    const { id, key = '' } = items[0] ?? { id: '' }
    const params = { key }
    const prompts = async () => {
      const { items: turns } = await client.get('/api/conversations/{key}/turns', {
        params,
        query: {},
      })
      return turns.map(({ content }) => JSON.stringify(content)).reverse()
    }
    const say = async (content: string) => {
      await client.post('/api/chat', {
        body: { projectId: project.id, conversationKey: key, content },
      })
      await until(async () => {
        const { items: turns } = await client.get('/api/conversations/{key}/turns', {
          params,
          query: { limit: 1 },
        })
        const [turn] = turns
        if (turn?.state === 'failed') throw new Error(turn.error ?? 'it failed')
        return turn?.state === 'answered' && JSON.stringify(turn.content).includes(content)
      })
    }

    // The same agent knows what was said in the terminal.
    await say('OURS-8842 [[say Here]]')
    const here = requestsWith('OURS-8842')
    expect(here).not.toEqual([])
    for (const text of here) expect(text).toContain('MAGENTA-7731')
    // What ran here is not taken in again.
    expect(await take()).toMatchObject({ created: 0, turns: 0 })
    expect(await prompts()).toHaveLength(2)

    // The terminal goes on, once nobody has the session open here.
    await client.post('/api/conversations/{key}/close', { params, body: {} })
    await until(async () => {
      const { items: processes } = await client.get('/api/processes', { query: {} })
      return processes.every(({ conversationKey, state }) =>
        conversationKey === key ? state === 'ended' : true,
      )
    })
    await inTerminal(terminal.goOn(id, 'BACK-9953 [[say There]]'))
    const back = requestsWith('BACK-9953')
    expect(back).not.toEqual([])
    for (const text of back) {
      expect(text).toContain('MAGENTA-7731')
      expect(text.includes('OURS-8842')).toBe(!isPrimed(name))
    }
    expect(await take()).toMatchObject({ created: 0, turns: 1 })
    expect(await prompts()).toEqual([
      expect.stringContaining('MAGENTA-7731'),
      expect.stringContaining('OURS-8842'),
      expect.stringContaining('BACK-9953'),
    ])

    // Another agent is told all of it.
    await client.post('/api/conversations/{key}/agent', { params, body: { agentId: 'demo' } })
    await say('and you?')
    const { primer } = await client.get('/api/conversations/{key}/context', { params })
    for (const words of ['MAGENTA-7731', 'OURS-8842', 'BACK-9953']) expect(primer).toContain(words)
  },
)
