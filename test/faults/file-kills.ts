/**
 * FS5 to FS11: turns, rewinds, undoings and forks of a chat in a git checkout, while its server,
 * its coordinator or both are killed with -9 at each call of git (before it, beside it, in its
 * middle, behind it) and at random moments. After each kill, and without anybody's help, the files
 * and the conversation agree, and nothing of the person's is lost.
 */
import { isDeepStrictEqual } from 'node:util'
import { TooLate } from './eventually.ts'
import { type Moment, moments } from './file-states/git-shim.ts'
import { differenceOf, type Files, hashOf, tracked } from './file-states/repository.ts'
import { agentId, Scene, type StoredOperation, type StoredTurn } from './file-states/scene.ts'
import { addTo, type Findings, newTally, noFindings, type Tally } from './oracle.ts'
import { type Chance, chance } from './random.ts'

export interface FileKillOptions {
  readonly build: string
  readonly seed: string
  readonly kills: number
  /** Told after each kill. */
  readonly onKill?: (tally: Tally) => void
  /** Fewer kills when it takes longer. */
  readonly withinMs?: number
  /** Ends at the first finding. */
  readonly stopEarly?: boolean
  /** How long what was cut off may take to be completed. */
  readonly settlesWithinMs?: number
  readonly kinds?: readonly Kind[]
  readonly victims?: readonly Victim[]
  /** Kills instead of this command of git only. */
  readonly instead?: string
}

export interface FileKillResult {
  readonly kills: number
  /** Kills that met git, by its command. */
  readonly steps: ReadonlySet<string>
  readonly tally: Tally
}

export const kinds = ['turn', 'rewind', 'undo', 'fork'] as const
export type Kind = (typeof kinds)[number]
export type Victim = 'coordinator' | 'server' | 'both'
const anybody: readonly Victim[] = [
  'coordinator',
  'coordinator',
  'coordinator',
  'server',
  'server',
  'both',
]

/** Then the history is that of a long chat, and another begins. */
const killsInProject = 40
/** What is unreachable is lost for good then. */
const prunesEvery = 10
/** From before a request is stored to after its result is. */
const latestKillMs = { turn: 600, rewind: 200, undo: 200, fork: 250 } as const

export async function filesAcrossKills(options: FileKillOptions): Promise<FileKillResult> {
  const { build, seed, kills, stopEarly = false, withinMs = Infinity } = options
  const endsAt = performance.now() + withinMs
  const scene = await Scene.open(build)
  const run = new Run(scene, chance(seed), options)
  const tally = newTally()
  const result = { kills: 0, steps: run.steps, tally }
  try {
    for (; result.kills < kills && performance.now() < endsAt; result.kills++) {
      if (result.kills % killsInProject === 0) await run.begin(result.kills)
      const findings = noFindings()
      const what = await run
        .killOnce(findings, result.kills % prunesEvery === prunesEvery - 1)
        .catch((error: unknown) => {
          if (!(error instanceof TooLate)) throw error
          findings.lost.push(error.message)
          return run.doing
        })
      addTo(tally, findings, `seed ${seed}, kill ${result.kills}, ${what}`)
      options.onKill?.(tally)
      const found = Object.values(findings).some((list) => list.length > 0)
      if (found && (stopEarly || findings.lost.length > 0)) break
    }
    return result
  } finally {
    await scene.close()
  }
}

/** Calls of git in a turn, a rewind or a fork, before they were counted. */
const firstCalls = 24

/** What was there before a kill. */
interface Before {
  readonly files: Files
  readonly persons: Record<string, string>
  readonly turns: readonly StoredTurn[]
  readonly operations: readonly StoredOperation[]
  readonly messages: readonly string[]
}

class Run {
  readonly steps = new Set<string>()
  doing = ''
  readonly #scene: Scene
  readonly #dice: Chance
  readonly #options: FileKillOptions
  /** Calls of git that the next kills meet, by kind, and how many there were at most. */
  readonly #ahead = new Map<Kind, number[]>()
  readonly #calls = new Map<Kind, number>()
  /** The files before each rewind, which its undoing must bring back. */
  readonly #beforeRewind = new Map<string, Files>()
  #said = 0

  constructor(scene: Scene, dice: Chance, options: FileKillOptions) {
    this.#scene = scene
    this.#dice = dice
    this.#options = options
  }

  /** Two turns without a kill, so that there is something to go back to. */
  async begin(n: number): Promise<void> {
    await this.#scene.newProject(n)
    for (let turn = 0; turn < 2; turn++) {
      this.#personEdits()
      await this.#say(2)
      await this.#scene.untilQuiet()
    }
  }

  /**
   * Does something, kills meanwhile, starts again what was killed, and waits until all has come to
   * its end.
   */
  async killOnce(findings: Findings, prune: boolean): Promise<string> {
    const scene = this.#scene
    const kind = this.#pickKind()
    if (this.#dice.one(0.5)) this.#personEdits()
    const target = kind === 'rewind' || kind === 'fork' ? this.#pickTurn() : undefined
    const to = this.#dice.pick(['before', 'after'] as const)
    this.doing = `${kind}${target ? ` ${to} ${target.id}` : ''}`
    const confirm =
      kind === 'rewind' || kind === 'undo' ? await this.#confirmation(kind, target, to) : undefined
    const before = this.#look()
    const retries = this.#dice.one(0.3) ? 8 : 0
    await this.#cut(kind, () => this.#request(kind, target, to, confirm, retries))
    await scene.untilQuiet(this.#options.settlesWithinMs)
    if (prune) scene.repository.git('gc', '--quiet', '--prune=now')
    this.#judge(kind, target, to, before, findings)
    return this.doing
  }

  #pickKind(): Kind {
    const wanted = this.#dice.pick(this.#options.kinds ?? kinds)
    if (wanted === 'turn') return wanted
    const last = this.#scene
      .operations()
      .findLast(({ kind, state }) => kind !== 'fork' && state === 'done')
    const canUndo = last?.kind === 'rewind' && this.#beforeRewind.has(last.id)
    if (wanted === 'undo' && canUndo) return wanted
    return this.#scene.turns().some(canGoBackTo) ? (wanted === 'undo' ? 'rewind' : wanted) : 'turn'
  }

  #pickTurn(): StoredTurn | undefined {
    return this.#dice.pick(this.#scene.turns().filter(canGoBackTo).slice(-3))
  }

  /** Something of the person's that no turn knows: changed, new, removed, ignored. */
  #personEdits(): void {
    const n = ++this.#said
    const name = this.#dice.pick([
      'a.txt',
      'lib/b.txt',
      'mine.txt',
      'lib/new/mine.txt',
      'ignored.txt',
    ])
    this.#scene.repository.write(name, `the person’s ${n}\n`)
  }

  async #say(retries: number): Promise<void> {
    const n = ++this.#said
    const names = this.#dice
      .shuffled(['a.txt', 'made.txt', 'lib/b.txt', 'lib/made.txt', 'deep/er/made.txt'])
      .slice(0, 3)
    const content = `${names.map((name) => `[[write ${name} by turn ${n}\n]]`).join(' ')} said ${n}.`
    const body = { projectId: this.#scene.projectId, toAgentId: agentId, content }
    await this.#scene.client.post('/api/chat', { body, retries })
  }

  async #request(
    kind: Kind,
    turn: StoredTurn | undefined,
    to: 'before' | 'after',
    confirm: string | undefined,
    retries: number,
  ) {
    const { client, key } = this.#scene
    const params = { key, turnId: turn?.id ?? '' }
    if (kind === 'turn') return this.#say(retries)
    if (kind === 'fork')
      return client.post('/api/conversations/{key}/turns/{turnId}/fork', {
        params,
        body: {},
        retries,
      })
    const asked = confirm === undefined ? {} : { confirm }
    if (kind === 'undo')
      return client.post('/api/conversations/{key}/rewind/undo', {
        params: { key },
        body: asked,
        retries,
      })
    return client.post('/api/conversations/{key}/turns/{turnId}/rewind', {
      params,
      body: { to, ...asked },
      retries,
    })
  }

  /**
   * What would be lost is asked for first, with a confirmation that fits nothing, so that nothing
   * is done.
   */
  async #confirmation(
    kind: Kind,
    turn: StoredTurn | undefined,
    to: 'before' | 'after',
  ): Promise<string | undefined> {
    if (this.#dice.one(0.5)) return undefined
    this.#scene.repository.write('a.txt', `changed before a ${kind} ${++this.#said}\n`)
    return this.#request(kind, turn, to, 'nothing', 0).then(
      () => undefined,
      (error: { problem?: { losses?: { digest: string } } }) => error.problem?.losses?.digest,
    )
  }

  async #cut(kind: Kind, act: () => Promise<unknown>): Promise<void> {
    const scene = this.#scene
    const who = this.#dice.pick(this.#options.victims ?? anybody)
    const victims = who === 'both' ? (['server', 'coordinator'] as const) : [who]
    const { instead } = this.#options
    const isRandom = instead === undefined && this.#dice.one(0.3)
    const nth = isRandom ? 0 : instead === undefined ? this.#next(kind) : 1
    const moment: Moment =
      instead !== undefined
        ? 'instead'
        : who === 'server'
          ? this.#dice.pick(['along', 'after'])
          : this.#dice.pick(moments)
    const pids = victims.map((victim) => scene.pids[victim])
    scene.shim.arm({
      nth: isRandom ? Number.MAX_SAFE_INTEGER : nth,
      command: instead,
      moment,
      afterMs: this.#dice.below(8),
      pids,
    })
    const acting = act().then(
      () => undefined,
      () => undefined,
    )
    const ended =
      kind === 'turn'
        ? acting.then(() => scene.untilQuiet(this.#options.settlesWithinMs)).catch(() => undefined)
        : acting
    if (isRandom) await Promise.race([ended, pause(this.#dice.below(latestKillMs[kind]))])
    else await Promise.race([ended, this.#untilMet()])
    const met = scene.shim.isMet
    // Also what the plan has killed: it is gone a moment later.
    for (const victim of victims) await scene.kill(victim, !met)
    await scene.revive()
    const { calls } = scene.shim.disarm()
    this.#calls.set(kind, Math.max(this.#calls.get(kind) ?? 0, calls.length))
    if (met) this.steps.add(`${kind} ${calls[nth - 1]}`)
    this.doing += `, ${victims.join(' and ')} killed ${isRandom ? 'at random' : met ? `${moment} ${calls[nth - 1]} (${nth})` : 'behind it'}`
    await acting
  }

  /** Each call comes once before one comes again. */
  #next(kind: Kind): number {
    const ahead = this.#ahead.get(kind) ?? []
    if (ahead.length === 0) {
      const calls = Array.from(
        { length: this.#calls.get(kind) ?? firstCalls },
        (_, index) => index + 1,
      )
      ahead.push(...this.#dice.shuffled(calls))
    }
    this.#ahead.set(kind, ahead)
    return ahead.pop() ?? 1
  }

  async #untilMet(): Promise<void> {
    while (!this.#scene.shim.isMet) await pause(2)
  }

  #look(): Before {
    const scene = this.#scene
    const [turns, operations, messages] = [scene.turns(), scene.operations(), scene.messages()]
    return {
      files: scene.repository.files(),
      persons: scene.repository.persons(),
      turns,
      operations,
      messages,
    }
  }

  #judge(
    kind: Kind,
    turn: StoredTurn | undefined,
    to: 'before' | 'after',
    before: Before,
    findings: Findings,
  ): void {
    const scene = this.#scene
    const now = this.#look()
    if (!isDeepStrictEqual(now.persons, before.persons))
      findings.lost.push(
        `of the person: ${JSON.stringify(before.persons)} is ${JSON.stringify(now.persons)}`,
      )
    if (now.turns.length < before.turns.length) findings.lost.push('a turn')
    this.#judgeKept(now, findings)
    // An earlier attempt at the same message may have stayed.
    for (const [said, attempts] of Map.groupBy(now.turns, (each) => each.said)) {
      const isSaid = now.messages.some((text) => text.endsWith(`]] said ${said}.`))
      const isThere = attempts.some(({ rewound }) => !rewound)
      if (said !== undefined && isSaid !== isThere)
        findings.torn.push(
          `what was said with ${attempts[0]?.id} is ${isSaid ? '' : 'not '}there, and its turn is ${isThere ? 'not ' : ''}taken back`,
        )
    }
    const asked = now.operations.slice(before.operations.length)
    if (asked.length > 1) findings.doubled.push(`${kind} was recorded ${asked.length} times`)
    const [operation] = asked
    const isDone = operation?.state === 'done'
    if (kind === 'turn') return this.#judgeTurn(before, now, findings)
    if (kind === 'fork') return this.#judgeFork({ turn, operation, before, now }, findings)
    if (kind === 'rewind' && isDone) this.#beforeRewind.set(operation.id, tracked(before.files))
    const last = before.operations.findLast((each) => each.kind !== 'fork' && each.state === 'done')
    const undone = last && this.#beforeRewind.get(last.id)
    const target =
      kind === 'undo'
        ? (undone ?? {})
        : scene.repository.tree((to === 'before' ? turn?.before : turn?.after) ?? '')
    const wanted = isDone
      ? kind === 'undo'
        ? hashOf(target)
        : target
      : hashOf(tracked(before.files))
    const difference = differenceOf(wanted, hashOf(tracked(now.files)))
    if (difference)
      findings.torn.push(
        `the ${kind} is ${operation?.state ?? 'not recorded'}, and on disk ${difference}`,
      )
    this.#judgeHistory({ kind, turn, to, isDone, before, now }, findings)
    if (kind === 'rewind' && isDone && operation) {
      const kept = operation.result.before?.tree ?? ''
      const lost = differenceOf(hashOf(tracked(before.files)), scene.repository.tree(kept))
      if (lost) findings.lost.push(`what was there before the rewind: ${lost}`)
    }
  }

  /** Each state that is recorded is kept by a ref. */
  #judgeKept(now: Before, { lost }: Findings): void {
    const kept = this.#scene.repository.kept()
    for (const { id, before, after } of now.turns)
      for (const tree of [before, after])
        if (tree !== null && !kept.has(tree))
          lost.push(`the state ${tree} of ${id} is under no ref`)
    for (const { id, result } of now.operations)
      if (result.before && !kept.has(result.before.tree))
        lost.push(`the state before ${id} is under no ref`)
  }

  #judgeTurn(before: Before, now: Before, findings: Findings): void {
    const scene = this.#scene
    const added = now.turns.slice(before.turns.length)
    const disk = hashOf(tracked(now.files))
    for (const turn of added) {
      if (turn.before === null && turn.state === 'answered')
        findings.lost.push(`${turn.id} is answered without a state before it`)
      if (turn.before !== null && turn.after === null)
        findings.lost.push(`${turn.id} has no state after it`)
    }
    const ran = added.filter((turn) => turn.before !== null)
    const [first, last] = [ran[0], ran.at(-1)]
    const pre = hashOf(tracked(before.files))
    // The agent is asked only when the state before is recorded.
    if (!first || !last) {
      const difference = differenceOf(pre, disk)
      if (difference) findings.lost.push(`no turn has a state, and ${difference}`)
      return
    }
    const earlier = differenceOf(pre, scene.repository.tree(first.before ?? ''))
    if (earlier) findings.torn.push(`the state before ${first.id}: ${earlier}`)
    const later = differenceOf(disk, scene.repository.tree(last.after ?? ''))
    if (later) findings.torn.push(`the state after ${last.id}: ${later}`)
    for (const text of new Set(now.messages))
      if (
        /^echo: said \d+\.$/.test(text) &&
        now.messages.filter((each) => each === text).length > 1
      )
        findings.doubled.push(`an answer is there twice: ${text}`)
  }

  #judgeHistory(
    {
      kind,
      turn,
      to,
      isDone,
      before,
      now,
    }: {
      kind: Kind
      turn: StoredTurn | undefined
      to: string
      isDone: boolean
      before: Before
      now: Before
    },
    { torn }: Findings,
  ): void {
    const flags = (turns: readonly StoredTurn[]): string =>
      turns.map(({ rewound }) => (rewound ? '-' : '+')).join('')
    if (!isDone) {
      if (flags(before.turns) !== flags(now.turns))
        torn.push(`nothing was done, and turns are ${flags(now.turns)}`)
      if (!isDeepStrictEqual(before.messages, now.messages))
        torn.push('nothing was done, and messages are others')
      return
    }
    if (kind === 'undo') return
    const at = now.turns.findIndex(({ id }) => id === turn?.id)
    for (const [index, each] of now.turns.entries()) {
      // An earlier attempt at the same message goes with it.
      const isPast = (index < at && each.said !== turn?.said) || (index === at && to === 'after')
      if (index >= at && !isPast && !each.rewound && each.before !== null)
        torn.push(`${each.id} is not marked as taken back`)
      if (isPast && each.rewound && before.turns[index]?.rewound === false)
        torn.push(`${each.id} is marked as taken back`)
    }
    const isPrefix = now.messages.every((text, index) => before.messages[index] === text)
    if (!isPrefix) torn.push('the messages that stay are not the first ones')
  }

  #judgeFork(
    {
      turn,
      operation,
      before,
      now,
    }: {
      turn: StoredTurn | undefined
      operation: StoredOperation | undefined
      before: Before
      now: Before
    },
    findings: Findings,
  ): void {
    const scene = this.#scene
    const difference = differenceOf(hashOf(before.files), hashOf(now.files))
    if (difference) findings.torn.push(`a fork has changed the files: ${difference}`)
    const said = scene.messages(operation?.forkKey || 'none')
    if (operation?.state !== 'done') {
      if (said.length > 0) findings.torn.push('a fork that was not made has a conversation')
      return
    }
    const folder = operation.result.folder ?? ''
    const missing = differenceOf(
      scene.repository.tree(turn?.after ?? ''),
      hashOf(scene.repository.files(folder)),
    )
    if (missing) findings.torn.push(`the files of the fork: ${missing}`)
    if (said.length === 0 || !said.every((text, index) => before.messages[index] === text))
      findings.torn.push(`the fork begins with ${said.length} messages that are not the first ones`)
  }
}

const canGoBackTo = ({ rewound, before, after }: StoredTurn): boolean =>
  !rewound && before !== null && after !== null

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
