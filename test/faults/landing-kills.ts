/**
 * LD2: landings of a chat's worktree while its server, its coordinator, or both (the machine) are
 * killed with -9 in any step of every way to land. After each kill, and without anybody's help, the
 * work has landed once and whole or not at all, and what the person has lying about is as it was.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LandingStep, LandingWay } from '../../src/protocol/review/landing-requests.ts'
import { serveRepository } from '../support/git-over-http.ts'
import { eventually } from './eventually.ts'
import { type Moment, moments } from './file-states/git-shim.ts'
import { agentId, Scene } from './file-states/scene.ts'
import { chance } from './random.ts'

type Step = LandingStep['do']
interface Pair {
  readonly how: LandingWay
  readonly step: Step
}

export interface LandingKills {
  /** What is wrong, with the kill after which it was. */
  readonly findings: readonly string[]
  /** How many kills met each step of each way to land, as `merge: move`; `plan`: none had begun. */
  readonly met: Readonly<Record<string, number>>
}

const local: readonly Step[] = ['commit', 'check', 'move']
const remote: readonly Step[] = ['commit', 'check', 'push']
const stepsOf: Readonly<Record<LandingWay, readonly Step[]>> = {
  merge: local,
  rebase: local,
  squash: local,
  push: remote,
  'pull-request': [...remote, 'pull-request'],
}
export const landingPairs: readonly Pair[] = Object.entries(stepsOf).flatMap(([how, steps]) =>
  steps.map((step) => ({ how: how as LandingWay, step })),
)

/** A call of git that is in no plan: the check of the project. */
const check = 'git hash-object --stdin < /dev/null'
/** Calls of git that a commit makes, and a move behind it. */
const callsOf = { commit: 14, move: 30 }
/** Kills for each that is wanted: some come too early or too late. */
const triesEach = 4
const token = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'

/** `tries`: how many kills, whatever they meet; else as many as it takes. */
export async function landingsAcrossKills(options: {
  readonly build: string
  readonly seed: string
  readonly perPair: number
  readonly pairs?: readonly Pair[]
  readonly tries?: number
}): Promise<LandingKills> {
  const { build, seed, perPair, pairs = landingPairs } = options
  const { tries = pairs.length * perPair * triesEach } = options
  const room = await openRoom(build)
  const dice = chance(seed)
  const findings: string[] = []
  const met: Record<string, number> = {}
  try {
    for (let kill = 0; kill < tries; kill++) {
      const [pair] = [...pairs].sort((a, b) => (met[nameOf(a)] ?? 0) - (met[nameOf(b)] ?? 0))
      if (!pair || (met[nameOf(pair)] ?? 0) >= perPair) break
      const step = await room.landOnce(pair, kill, dice, (what) =>
        findings.push(`seed ${seed}, kill ${kill}, ${nameOf(pair)}: ${what}`),
      )
      const name = step ? nameOf({ how: pair.how, step }) : 'plan'
      met[name] = (met[name] ?? 0) + 1
    }
    return { findings, met }
  } finally {
    await room.close()
  }
}

const nameOf = ({ how, step }: Pair): string => `${how}: ${step}`

async function openRoom(build: string) {
  const scene = await Scene.open(build)
  await scene.newProject(0)
  const { repository } = scene
  // What is staged is in the way of any landing.
  repository.git('reset', '--quiet', '--hard')
  const params = { projectId: scene.projectId }
  const settings = { 'chat.workplace': 'worktree' as const, 'land.check': check }
  await scene.client.patch('/api/projects/{projectId}', { params, body: { settings } })
  const bare = mkdtempSync(join(tmpdir(), 'holdfast-landing-kills-'))
  execFileSync('git', ['clone', '-q', '--bare', repository.folder, bare])
  const host = await serveRepository(bare, token)
  repository.git('remote', 'add', 'origin', host.address)
  await scene.client.put('/api/hosts/{host}', {
    params: { host: host.host },
    body: { token, kind: 'github' },
  })
  const key = () => ({ key: scene.key })
  const path = '/api/conversations/{key}/land'
  const land = (how: LandingWay) =>
    scene.client.post(path, { params: key(), body: { how, message: 'Land' }, retries: 0 })
  const plan = (how: LandingWay) => scene.client.get(path, { params: key(), query: { how } })

  const write = async (file: string, kill: number): Promise<void> => {
    const body = { projectId: scene.projectId, toAgentId: agentId }
    const content = `[[write ${file} by turn ${kill}\n]] said ${kill}.`
    const before = scene.messages().length
    await scene.client.post('/api/chat', { body: { ...body, content } })
    await scene.untilQuiet()
    await eventually('the answer', async () => scene.messages().length >= before + 2 || undefined)
    await eventually('an end of the turn', async () =>
      (await plan('merge')).blocks.includes('agent_works') ? undefined : true,
    )
  }

  /** Returns the step that the kill met. */
  const killOnce = async ({ how, step }: Pair, dice: ReturnType<typeof chance>) => {
    const who = dice.pick([['coordinator'], ['server'], ['server', 'coordinator']] as const)
    // What the check is told by a machine that lives on is no end of that check.
    const isCheck = step === 'check'
    const moment: Moment = dice.pick(isCheck ? (['along', 'after'] as const) : moments)
    const aim = {
      moment,
      afterMs: dice.below(20),
      pids: who.map((each) => scene.pids[each]),
    }
    if (step === 'pull-request')
      host.beforeAnswer(dice.pick(['asked', 'made'] as const), () => {
        for (const pid of aim.pids) process.kill(pid, 'SIGKILL')
      })
    else if (isCheck) scene.shim.arm({ ...aim, nth: 1, command: 'hash-object' })
    else if (step === 'push') scene.shim.arm({ ...aim, nth: 1, command: 'push' })
    else {
      scene.shim.arm({ ...aim, nth: 1_000_000 })
      await plan(how)
      const before = scene.shim.disarm().calls.length
      const late = step === 'move' ? callsOf.commit : 0
      const nth = before + late + 1 + dice.below(callsOf[step])
      scene.shim.arm({ ...aim, nth })
    }
    const isMet = () => scene.shim.isMet || host.hasAnswered()
    const landing = land(how).catch(() => undefined)
    // A request whose machine is gone has no end of its own.
    await Promise.race([landing, eventually('the kill', async () => isMet() || undefined)])
    if (isMet()) for (const each of who) await scene.kill(each, false)
    const open = isMet() ? openStep(scene) : undefined
    scene.shim.disarm()
    host.beforeAnswer(undefined)
    await scene.revive()
    return open
  }

  const landOnce = async (
    pair: Pair,
    kill: number,
    dice: ReturnType<typeof chance>,
    found: (what: string) => void,
  ): Promise<Step | undefined> => {
    const { how } = pair
    const file = `made-${kill}.txt`
    await write(file, kill)
    const mine = ['lib/b.txt', 'mine.txt'] as const
    for (const name of mine) repository.write(name, `the person’s ${kill}\n`)
    const status = repository.git('status', '--porcelain')
    const before = landings(scene).length
    const old = repository.git('rev-parse', 'HEAD')
    const step = await killOnce(pair, dice)
    await eventually('an end of the landing', async () => isOver(scene) || undefined)
    // The request that was cut off may begin it too: it waits for the machine that comes back.
    if (landings(scene).length === before) await land(how).catch(() => undefined)
    await eventually(
      'a landing',
      async () => (landings(scene).length > before && isOver(scene)) || undefined,
    )
    const made = landings(scene)
    if (made.length !== before + 1) found(`${made.length - before} landings`)
    const newest = made.at(-1)
    if (newest?.state !== 'done') found(`${newest?.state} ${newest?.result}`)
    const tip = repository.git('rev-parse', 'HEAD')
    const isLocal = how !== 'push' && how !== 'pull-request'
    const expected = isLocal ? newest?.commit : old
    if (tip !== expected) found(`the branch is at ${tip}, not at ${expected}`)
    const shown = repository.git('status', '--porcelain')
    if (shown !== status) found(`status shows ${shown}`)
    for (const name of mine)
      if (readFileSync(join(repository.folder, name), 'utf8') !== `the person’s ${kill}\n`)
        found(`${name} is another`)
    if (isLocal && !repository.git('ls-tree', '--name-only', 'HEAD').includes(file))
      found(`${file} is missing`)
    if (!isLocal) {
      const pushed = execFileSync('git', [
        '-C',
        bare,
        'for-each-ref',
        '--contains',
        newest?.commit ?? '',
      ])
      if (!String(pushed).includes('holdfast/')) found('it was not pushed')
    }
    if (host.pulls.length > 1) found(`${host.pulls.length} pull requests`)
    if (how === 'pull-request' && host.pulls.length !== 1) found('no pull request')
    if (step === 'pull-request') host.pulls.length = 0
    return step
  }

  return {
    landOnce,
    close: async () => {
      await scene.close()
      rmSync(bare, { recursive: true })
    },
  }
}

const openStep = (scene: Scene): Step | undefined => {
  const rows = scene.rows(
    `select s.step from landing_steps s join landings l on l.id = s.landing_id
      where s.conversation_key = ? and s.state = 'begun' and l.state = 'running'`,
  )
  return rows[0] && JSON.parse(String(rows[0]['step'])).do
}

interface StoredLanding {
  readonly state: string
  readonly commit: string
  readonly result: string
}

const landings = (scene: Scene): StoredLanding[] =>
  scene
    .rows(
      'select state, plan, result from landings where conversation_key = ? order by asked_at, id',
    )
    .map(({ state, plan, result }) => ({
      state: String(state),
      commit: JSON.parse(String(plan)).commit,
      result: String(result),
    }))

const isOver = (scene: Scene): boolean => landings(scene).every(({ state }) => state !== 'running')
