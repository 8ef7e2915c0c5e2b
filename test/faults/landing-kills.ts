/**
 * LD2: landings of a chat's worktree while its server or its coordinator is killed with -9 at a call
 * of git, in the plan or in any step. After each kill, and without anybody's help, the work has
 * landed whole or not at all, and the person's checkout shows what it showed before.
 */
import { eventually } from './eventually.ts'
import { moments } from './file-states/git-shim.ts'
import { agentId, Scene } from './file-states/scene.ts'
import { chance } from './random.ts'

export interface LandingKills {
  readonly kills: number
  /** What is wrong, with the kill after which it was. */
  readonly findings: readonly string[]
  /** Landings that a kill met when they had begun. */
  readonly met: number
}

/** Calls of git that a plan and its steps make. */
const mostCalls = 60
const ways = ['merge', 'rebase', 'squash'] as const

export async function landingsAcrossKills(options: {
  readonly build: string
  readonly seed: string
  readonly kills: number
}): Promise<LandingKills> {
  const { build, seed, kills } = options
  const scene = await Scene.open(build)
  const dice = chance(seed)
  const findings: string[] = []
  let met = 0
  try {
    await scene.newProject(0)
    // What is staged is in the way of any landing.
    scene.repository.git('reset', '--quiet', '--hard')
    await scene.client.patch('/api/projects/{projectId}', {
      params: { projectId: scene.projectId },
      body: { settings: { 'chat.workplace': 'worktree' } },
    })
    for (let kill = 0; kill < kills; kill++) {
      const how = ways[kill % ways.length] ?? 'merge'
      const file = `made-${kill}.txt`
      const body = { projectId: scene.projectId, toAgentId: agentId }
      const content = `[[write ${file} by turn ${kill}\n]] said ${kill}.`
      await scene.client.post('/api/chat', { body: { ...body, content } })
      await scene.untilQuiet()
      await eventually('the answer', async () => scene.messages().length > 2 * kill || undefined)
      await eventually('an end of the turn', async () => (await mayLand(scene)) || undefined)
      scene.repository.write('lib/b.txt', `the person’s ${kill}\n`)
      scene.repository.write('mine.txt', `the person’s ${kill}\n`)
      const status = scene.repository.git('status', '--porcelain')
      const before = landings(scene)
      await killOnce(scene, dice, how)
      await eventually('an end of the landing', async () => isOver(scene) || undefined)
      const hasBegun = landings(scene).length > before.length
      if (hasBegun) met++
      // The request that was cut off may begin it too: it waits for the machine that comes back.
      else await land(scene, how).catch(() => undefined)
      await eventually(
        'a landing',
        async () => (landings(scene).length > before.length && isOver(scene)) || undefined,
      )
      const newest = landings(scene).at(-1)
      const about = `seed ${seed}, kill ${kill}, ${how}`
      if (newest?.state !== 'done') findings.push(`${about}: ${newest?.state} ${newest?.result}`)
      const tip = scene.repository.git('rev-parse', 'HEAD').trim()
      if (tip !== newest?.commit) findings.push(`${about}: the branch is at ${tip}`)
      const shown = scene.repository.git('status', '--porcelain')
      if (shown !== status) findings.push(`${about}: status shows ${shown}`)
      if (!scene.repository.git('ls-tree', '--name-only', 'HEAD').includes(file))
        findings.push(`${about}: ${file} is missing`)
    }
    return { kills, findings, met }
  } finally {
    await scene.close()
  }
}

const params = ({ key }: Scene) => ({ key })

const mayLand = async (scene: Scene): Promise<boolean> =>
  !(
    await scene.client.get('/api/conversations/{key}/land', { params: params(scene), query: {} })
  ).blocks.includes('agent_works')

const land = (scene: Scene, how: (typeof ways)[number]) =>
  scene.client.post('/api/conversations/{key}/land', {
    params: params(scene),
    body: { how, message: 'Land' },
    retries: 0,
  })

async function killOnce(
  scene: Scene,
  dice: ReturnType<typeof chance>,
  how: (typeof ways)[number],
): Promise<void> {
  const who = dice.pick(['coordinator', 'coordinator', 'server'] as const)
  scene.shim.arm({
    nth: 1 + dice.below(mostCalls),
    moment: dice.pick(moments),
    afterMs: dice.below(20),
    pids: [scene.pids[who]],
  })
  const landing = land(scene, how).catch(() => undefined)
  // A request whose machine is gone has no end of its own.
  await Promise.race([landing, eventually('the kill', async () => scene.shim.isMet || undefined)])
  if (scene.shim.isMet) await scene.kill(who, false)
  scene.shim.disarm()
  await scene.revive()
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
