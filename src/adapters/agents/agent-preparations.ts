/**
 * Installs agents of the catalogue and signs them in on this machine (AG18). What runs is npm, or
 * written in `known/*.ts`: never a command that an agent or a person names. Installs into the data
 * folder, and leaves nothing there unless all of it worked. One at a time for each agent.
 */
import { delimiter, dirname } from 'node:path'
import { Refusal } from '../../domain/errors.ts'
import { type Detail, detailFields } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { makeFolder } from '../../platform/files/make-folder.ts'
import { findProgram } from '../../platform/processes/find-program.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { AgentPreparation, PreparationStep } from '../../protocol/agents/preparation.ts'
import {
  agentFolder,
  installedProgramFolders,
  markInstalled,
  removeAgentFolder,
} from './agent-folders.ts'
import type { AgentDetection } from './detect-agents.ts'
import { asTyped, installArguments } from './install-command.ts'
import { type InstallableAgent, installable } from './installable.ts'
import { RunningCommand } from './running-command.ts'

/** A download over a slow line, or a person who signs in elsewhere, has this long. */
export const preparationMs = 10 * 60_000
const preparationMinutes = preparationMs / 60_000
/** On this machine, of all agents together. */
export const maxRunning = 3

type Variables = Readonly<Record<string, string | undefined>>

export interface PreparationOptions {
  readonly env: Variables
  readonly data: string
  readonly clock: Clock
  readonly detection: AgentDetection
}

interface Plan {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Variables
  readonly takesCode: boolean
  /** What is to be done once it has ended well; an answer is why it did not work after all. */
  readonly finish: () => Promise<Detail | null>
  /** Removes what it has begun. */
  readonly undo: () => Promise<void>
}

interface Preparation {
  readonly run: RunningCommand
  readonly fixed: Pick<AgentPreparation, 'agent' | 'step' | 'command' | 'begunAt' | 'takesCode'>
  state: AgentPreparation['state']
  error: Detail | null
  over: Promise<void>
}

export class AgentPreparations {
  readonly #options: PreparationOptions
  /** The last one of each agent; the catalogue bounds them. */
  readonly #last = new Map<string, Preparation>()
  /** Those that are about to begin, which are not in `#last` yet. */
  readonly #beginning = new Set<string>()

  constructor(options: PreparationOptions) {
    this.#options = options
  }

  async begin(id: string, step: PreparationStep): Promise<AgentPreparation> {
    const agent = installable.find((each) => each.id === id)
    if (!agent) throw new Refusal('not_found', refusalText('noKnownAgent', { id }))
    const current = this.#last.get(id)
    // Somebody has pressed twice, or looks at the page anew.
    if (current?.state === 'running' && current.fixed.step === step) return shape(current)
    this.#requireRoom(agent)
    this.#beginning.add(id)
    try {
      const plan = step === 'install' ? await this.#install(agent) : await this.#signIn(agent)
      return shape(this.#start(agent, step, plan))
    } finally {
      this.#beginning.delete(id)
    }
  }

  read(id: string): AgentPreparation {
    return shape(this.#of(id))
  }

  /** Gives a code to a sign-in that waits for one. */
  answer(id: string, code: string): AgentPreparation {
    const found = this.#of(id)
    if (found.state !== 'running' || !found.fixed.takesCode)
      throw new Refusal('wrong_state', refusalText('noCodeAwaited'))
    found.run.write(code)
    return shape(found)
  }

  /** Ends what runs, and waits until it has left nothing behind. */
  async cancel(id: string): Promise<AgentPreparation> {
    const found = this.#of(id)
    this.#end(found, 'cancelled', null)
    await found.over
    return shape(found)
  }

  async close(): Promise<void> {
    const all = [...this.#last.values()]
    for (const each of all) this.#end(each, 'cancelled', null)
    await Promise.all(all.map(({ over }) => over))
  }

  #of(id: string): Preparation {
    const found = this.#last.get(id)
    if (!found) throw new Refusal('not_found', refusalText('noPreparation'))
    return found
  }

  #requireRoom({ id, name }: InstallableAgent): void {
    const running = [...this.#last].filter(([, { state }]) => state === 'running')
    if (this.#beginning.has(id) || running.some(([each]) => each === id))
      throw new Refusal('wrong_state', refusalText('preparationRuns', { name }))
    if (running.length + this.#beginning.size >= maxRunning)
      throw new Refusal('wrong_state', refusalText('preparationsRun', { max: maxRunning }))
  }

  #start({ id }: InstallableAgent, step: PreparationStep, plan: Plan): Preparation {
    const { clock } = this.#options
    const command = asTyped(plan)
    const run = new RunningCommand(plan)
    const preparation: Preparation = {
      run,
      fixed: {
        agent: id,
        step,
        command,
        begunAt: new Date(clock.now()).toISOString(),
        takesCode: plan.takesCode,
      },
      state: 'running',
      error: null,
      over: Promise.resolve(),
    }
    const late = refusalText('preparationTooLong', { minutes: preparationMinutes, command })
    const stopTimer = clock.after(preparationMs, () => this.#end(preparation, 'failed', late))
    preparation.over = this.#follow(preparation, plan).finally(stopTimer)
    this.#last.set(id, preparation)
    return preparation
  }

  #end(preparation: Preparation, state: 'failed' | 'cancelled', error: Detail | null): void {
    if (preparation.state !== 'running') return
    preparation.state = state
    preparation.error = error
    preparation.run.kill()
  }

  /** What became of it; it was ended already where its state is no longer that it runs. */
  async #follow(preparation: Preparation, plan: Plan): Promise<void> {
    const { run, fixed } = preparation
    const exit = await run.exited
    let error: Detail | null = null
    if (preparation.state === 'running')
      error = exit === 0 ? await this.#finished(plan, fixed.command) : whyFailed(run, fixed, exit)
    const worked = preparation.state === 'running' && error === null
    if (!worked) await plan.undo().catch(() => {})
    this.#options.detection.forget()
    if (preparation.state !== 'running') return
    preparation.error = error
    preparation.state = worked ? 'done' : 'failed'
  }

  async #finished(plan: Plan, command: string): Promise<Detail | null> {
    try {
      return await plan.finish()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return sentenceFor(why, command) ?? why
    }
  }

  async #install({ id, name, install, hasProgram }: InstallableAgent): Promise<Plan> {
    const { env, data, detection, clock } = this.#options
    if (!('npm' in install))
      throw new Refusal(
        'wrong_state',
        refusalText('installedByHand', { name, command: install.command }),
      )
    detection.forget()
    if ((await detection.detect()).items.some(({ agent }) => agent === id))
      throw new Refusal('wrong_state', refusalText('alreadyInstalled', { name }))
    const folder = agentFolder(data, id)
    const args = installArguments(folder, install.npm)
    const npm = await findProgram('npm', env)
    if (!npm)
      throw new Refusal(
        'wrong_state',
        refusalText('npmMissing', {
          program: 'npm',
          runtime: 'Node.js',
          command: asTyped({ file: 'npm', args }),
        }),
      )
    const undo = () => removeAgentFolder(folder)
    await undo()
    await makeFolder(folder).catch((error: Error) => {
      const command = asTyped({ file: 'npm', args })
      throw new Refusal('wrong_state', sentenceFor(error.message, command) ?? error.message)
    })
    return {
      file: npm,
      args,
      env,
      takesCode: false,
      undo,
      async finish() {
        if (!hasProgram(folder)) return refusalText('nothingToRun', { name })
        const at = new Date(clock.now()).toISOString()
        await markInstalled(folder, { agent: id, packages: install.npm, at })
        return null
      },
    }
  }

  async #signIn({ name, press, signIn: command }: InstallableAgent): Promise<Plan> {
    const { env, data } = this.#options
    if (!press) throw new Refusal('wrong_state', refusalText('signInAtTerminal', { command }))
    const folders = [env['PATH'] ?? '', ...installedProgramFolders(data)]
    const PATH = folders.join(delimiter)
    const file = await findProgram(press.program, { ...env, PATH })
    if (!file) throw new Refusal('wrong_state', refusalText('programMissing', { name, command }))
    return {
      file,
      args: press.args,
      env: { ...env, PATH: [dirname(file), PATH].join(delimiter) },
      takesCode: press.takesCode,
      finish: async () => null,
      undo: async () => {},
    }
  }
}

const shape = ({ run, fixed, state, error }: Preparation): AgentPreparation => ({
  ...fixed,
  state,
  output: run.output,
  visit: state === 'running' && fixed.step === 'sign_in' ? run.visit : null,
  ...detailFields('error', error),
})

/** What npm and the system call it when something is missing that a person can mend. */
const causes = [
  { text: 'noSpaceForIt', pattern: /ENOSPC|no space left/i },
  { text: 'noRightsForIt', pattern: /EACCES|EPERM|EROFS|permission denied/i },
  {
    text: 'noNetworkForIt',
    pattern: new RegExp(
      'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH' +
        '|network|error sending request|fetch failed',
      'i',
    ),
  },
] as const

function sentenceFor(text: string, command: string): Detail | undefined {
  const cause = causes.find(({ pattern }) => pattern.test(text))
  return cause && refusalText(cause.text, { command })
}

const whyFailed = (
  { output, problem }: RunningCommand,
  { command }: Pick<AgentPreparation, 'command'>,
  exit: number | null,
): Detail =>
  sentenceFor(`${problem ?? ''}\n${output}`, command) ??
  refusalText('preparationFailed', { exit: exit ?? '–', command })
