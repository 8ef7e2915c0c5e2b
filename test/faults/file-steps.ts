/**
 * FS5, FS6, FS7: the requests of a coordinator about files, each in a process that its own git
 * kills at the n-th call: before it, beside it, in its middle, behind it. Asked again, a state is
 * what is on disk, a rewind and a fork are whole, and nothing of the person's is lost.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type {
  CoordinatorAnswer,
  CoordinatorRequest,
} from '../../src/protocol/processes/coordinator-requests.ts'
import type { EndFiles } from '../../src/protocol/turns/link.ts'
import type {
  FileState,
  ForkAnswer,
  RestoreAnswer,
} from '../../src/protocol/worktrees/file-state.ts'
import { pieceOf } from './build.ts'
import { GitShim, moments } from './file-states/git-shim.ts'
import { differenceOf, hashOf, PersonsRepository, tracked } from './file-states/repository.ts'
import { addTo, newTally, noFindings, type Tally } from './oracle.ts'
import { answerOnce } from './processes/file-states.ts'
import { type Chance, chance } from './random.ts'

export interface FileStepsOptions {
  readonly build: string
  readonly seed: string
  readonly kills: number
  /** Told after each kill. */
  readonly onKill?: (tally: Tally) => void
  /** Fewer kills when it takes longer. */
  readonly withinMs?: number
}

const acts = ['take', 'restore', 'restore', 'fork'] as const
type Act = (typeof acts)[number]
/** Calls of git in each. */
const calls: Readonly<Record<Act, number>> = { take: 9, restore: 22, fork: 20 }
const latestCutMs = 8
const key = 'web:project.agent'

export async function fileSteps({
  build,
  seed,
  kills,
  onKill,
  withinMs = Infinity,
}: FileStepsOptions): Promise<{ kills: number; steps: ReadonlySet<string>; tally: Tally }> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-file-steps-')))
  const run = new Steps(build, folder, chance(seed))
  const tally = newTally()
  try {
    await run.begin()
    const endsAt = performance.now() + withinMs
    let n = 0
    for (; n < kills && performance.now() < endsAt; n++) {
      const findings = noFindings()
      const what = await run.killOnce(n, findings)
      addTo(tally, findings, `seed ${seed}, kill ${n}, ${what}`)
      onKill?.(tally)
    }
    return { kills: n, steps: run.steps, tally }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

class Steps {
  readonly steps = new Set<string>()
  readonly #build: string
  readonly #dice: Chance
  readonly #shim: GitShim
  readonly #repository: PersonsRepository
  readonly #worktreesFolder: string
  readonly #states: FileState[] = []
  readonly #ahead = new Map<Act, number[]>()

  constructor(build: string, folder: string, dice: Chance) {
    this.#build = build
    this.#dice = dice
    this.#shim = new GitShim(folder)
    this.#repository = new PersonsRepository(join(folder, 'repository'), join(folder, 'home'))
    this.#worktreesFolder = join(folder, 'worktrees')
  }

  async begin(): Promise<void> {
    this.#repository.make()
    for (let n = 0; n < 3; n++) {
      this.#edit(`before ${n}`)
      this.#states.push(await this.#take())
    }
  }

  async killOnce(n: number, findings: ReturnType<typeof noFindings>): Promise<string> {
    const repository = this.#repository
    const act = this.#dice.pick(acts)
    this.#edit(`kill ${n}`)
    const now = act === 'restore' ? await this.#take() : undefined
    const target = this.#dice.pick(this.#states)
    const before = { files: repository.files(), persons: repository.persons() }
    const ask = this.#request(act, n, target, now)
    const what = await this.#killedIn(act, ask)
    const answer = await this.#answer(ask)
    if (!isDeepStrictEqual(repository.persons(), before.persons))
      findings.lost.push('something of the person')
    const wanted = act === 'take' ? hashOf(tracked(before.files)) : repository.tree(target.tree)
    const found =
      act === 'take'
        ? repository.tree((answer as EndFiles).state.tree)
        : hashOf(tracked(this.#filesOf(act, answer)))
    const difference = differenceOf(wanted, found)
    if (difference) findings.torn.push(`${difference}: ${JSON.stringify(answer)}`)
    if (act === 'restore') {
      const kept = differenceOf(
        hashOf(tracked(before.files)),
        repository.tree((answer as Extract<RestoreAnswer, { outcome: 'done' }>).before.tree),
      )
      if (kept) findings.lost.push(`what was there before: ${kept}`)
    } else if (!isDeepStrictEqual(repository.files(), before.files))
      findings.torn.push('the files are others')
    if (act === 'take') this.#states.push((answer as EndFiles).state)
    const refs = repository.kept()
    for (const { tree } of this.#states)
      if (!refs.has(tree)) findings.lost.push(`the state ${tree}`)
    return what
  }

  /** What a coordinator is asked: the same again after the kill. */
  #request(act: Act, n: number, target: FileState, now: FileState | undefined): CoordinatorRequest {
    const { folder } = this.#repository
    if (act === 'take')
      return { kind: 'files-take', folder, key, since: this.#states.at(-1)?.tree ?? '' }
    if (act === 'restore')
      return {
        kind: 'files-restore',
        folder,
        id: `rewind ${n}`,
        key,
        target,
        expected: now ?? null,
        confirmed: null,
      }
    const place = {
      projectId: 'project',
      projectFolder: folder,
      role: `fork${n}`,
      key: `fork:${n}`,
    }
    return { kind: 'files-fork', folders: [folder], ...place, state: target }
  }

  async #killedIn(act: Act, ask: CoordinatorRequest): Promise<string> {
    const ahead = this.#ahead.get(act) ?? []
    if (ahead.length === 0)
      ahead.push(
        ...this.#dice.shuffled(Array.from({ length: calls[act] }, (_, index) => index + 1)),
      )
    this.#ahead.set(act, ahead)
    const nth = ahead.pop() ?? 1
    const moment = this.#dice.pick(moments)
    this.#shim.arm({ nth, moment, afterMs: this.#dice.below(latestCutMs), pids: 'parent' })
    const env = { ...this.#env, PATH: `${this.#shim.bin}:${this.#env.PATH}`, FILES_TASK: '1' }
    const child = spawn(
      process.execPath,
      ['--no-warnings', await pieceOf(this.#build, 'file-states')],
      {
        env,
        stdio: ['pipe', 'ignore', 'inherit'],
      },
    )
    child.stdin.on('error', () => undefined)
    child.stdin.end(JSON.stringify({ worktreesFolder: this.#worktreesFolder, ask }))
    await once(child, 'exit')
    const { calls: met } = this.#shim.disarm()
    const step = met[nth - 1]
    if (step !== undefined) this.steps.add(`${act} ${step}`)
    return `${act}, killed ${step === undefined ? 'behind it' : `${moment} ${step} (${nth})`}`
  }

  #filesOf(act: Act, answer: unknown): Record<string, string> {
    return act === 'fork'
      ? this.#repository.files((answer as ForkAnswer).top)
      : this.#repository.files()
  }

  async #take(): Promise<FileState> {
    return (
      (await this.#answer(
        this.#request('take', 0, this.#states[0] as FileState, undefined),
      )) as EndFiles
    ).state
  }

  async #answer(ask: CoordinatorRequest): Promise<EndFiles | RestoreAnswer | ForkAnswer> {
    const answer: CoordinatorAnswer = await answerOnce(
      { worktreesFolder: this.#worktreesFolder, ask },
      this.#env,
    )
    if (!answer.ok) throw new Error(`${ask.kind}: ${answer.why}`)
    return answer.value as EndFiles | RestoreAnswer | ForkAnswer
  }

  /** The same names come and go. */
  #edit(text: string): void {
    const names = this.#dice.shuffled([
      'a.txt',
      'lib/b.txt',
      'mine.txt',
      'lib/new/mine.txt',
      'deep/er/mine.txt',
    ])
    for (const name of names.slice(0, 3)) this.#repository.write(name, `${text}\n`)
    for (const name of names.slice(4)) rmSync(join(this.#repository.folder, name), { force: true })
  }

  get #env() {
    const { PATH: path = '', TMPDIR: temporary = tmpdir() } = process.env
    return { PATH: path, HOME: this.#repository.home, TMPDIR: temporary }
  }
}
