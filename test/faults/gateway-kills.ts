/**
 * GW4, GW5: an agent asks models through the gateway while its server, its coordinator or itself is
 * killed with -9. Afterwards each request that arrived at the model is there once; one whose answer
 * the agent had whole is exact; one that was cut is marked, and none is taken for exact that is
 * not.
 */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { folderIdOf } from '../../src/platform/processes/launch-mark.ts'
import { startModelService } from '../support/model-service.ts'
import { machine } from '../support/script-process.ts'
import { pieceOf, productFolder } from './build.ts'
import { eventually } from './eventually.ts'
import { agentId, Scene } from './file-states/scene.ts'
import { addTo, newTally, noFindings, type Tally } from './oracle.ts'
import { chance } from './random.ts'

export interface GatewayKillOptions {
  readonly build: string
  readonly seed: string
  readonly kills: number
  /** Told after each kill. */
  readonly onKill?: (tally: Tally) => void
  /** Fewer kills when it takes longer. */
  readonly withinMs?: number
  readonly victims?: readonly Victim[]
}

export interface GatewayKillResult {
  readonly kills: number
  readonly requests: number
  /** Whose answer the agent had whole. */
  readonly whole: number
  readonly cut: number
  readonly tally: Tally
}

const victims = ['server', 'coordinator', 'agent'] as const
type Victim = (typeof victims)[number]

/** From before a request leaves to after the last of a turn. */
const latestKillMs = 500
const secret = 'MODEL_KEY'
const plantedKey = 'sk-planted-0123456789'

export async function gatewayAcrossKills(options: GatewayKillOptions): Promise<GatewayKillResult> {
  const { build, seed, kills, victims: from = victims, withinMs = Infinity } = options
  const endsAt = performance.now() + withinMs
  const dice = chance(seed)
  const model = await startModelService({ text: 'words' })
  const scene = await Scene.open(build, ({ data }) => ({
    command: process.execPath,
    args: [join(import.meta.dirname, 'gateway/agent.cjs'), join(data, '../whole')],
    gateway: { upstream: model.url, secret },
  }))
  try {
    await scene.newProject(0)
    const { projectId } = scene
    const params = { projectId, name: secret }
    await scene.client.put('/api/projects/{projectId}/secrets/{name}', {
      params,
      body: { value: plantedKey },
    })
    const tally = newTally()
    let kill = 0
    for (; kill < kills && performance.now() < endsAt; kill++) {
      const asked = model.arrived.length
      await say(scene, `turn ${kill}`)
      // One that is killed often is held, and a person lets it go on.
      const pair = { params: { projectId, agentId } }
      const release = () =>
        scene.client
          .post('/api/projects/{projectId}/agents/{agentId}/release', pair)
          .catch(() => undefined)
      await eventually(
        'a request',
        async () => (await release()) && (model.arrived.length > asked || undefined),
      )
      await new Promise((resolve) => setTimeout(resolve, dice.below(latestKillMs)))
      await killed(scene, from[kill % from.length] ?? 'agent')
      await scene.revive()
      await eventually(
        'the end of the turn',
        async () => (await release()) && (isOver(scene) || undefined),
      )
      options.onKill?.(tally)
    }
    const rows = await settled(scene, model.arrived.length)
    const file = join(scene.data, '../whole')
    const whole = new Set(existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])
    const findings = noFindings()
    let cut = 0
    for (const { model: name, tokens, sent } of model.arrived) {
      const row = rows.get(name)
      if (!row) findings.lost.push(`the request for ${name} is not there`)
      else if (row.requests !== 1 || row.finished > 1)
        findings.doubled.push(`${name} is there ${row.requests} times`)
      else if (row.finished === 1 && row.tokens !== textOf(tokens))
        findings.torn.push(`${name}: ${row.tokens}, not ${textOf(tokens)}`)
      else if (row.finished === 1 && !sent)
        findings.torn.push(`${name} was cut and counts as exact`)
      else if (row.finished === 0 && whole.has(name))
        findings.lost.push(`${name} was had whole and counts as cut`)
      if (row?.finished === 0) cut++
    }
    findings.torn.push(...(await keySeenIn(scene)))
    if (rows.size > model.arrived.length)
      findings.doubled.push(`${rows.size} requests are there, and ${model.arrived.length} arrived`)
    addTo(tally, findings, `seed ${seed}`)
    return { kills: kill, requests: model.arrived.length, whole: whole.size, cut, tally }
  } finally {
    await scene.close()
    await model.close()
  }
}

/** What becomes of the files of its turns is not looked at here. */
const isOver = (scene: Scene): boolean =>
  scene.turns().every(({ state }) => !['queued', 'running'].includes(state))

/**
 * GW2: the files with the key in clear: database, transcripts, logs, and a backup of them. What the
 * agent saw is in what it said.
 */
async function keySeenIn(scene: Scene): Promise<string[]> {
  const said = scene.messages().filter((text) => text.includes('HOLDFAST_GATEWAY_KEY'))
  if (said.length === 0) return ['the agent did not say what it sees']
  const backup = join(scene.data, '../backup')
  const args = [await pieceOf(productFolder, 'main'), 'backup', backup, '--data', scene.data]
  await promisify(execFile)(process.execPath, args, { env: { ...process.env, HOME: scene.data } })
  const files = readdirSync(scene.data, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(scene.data, name),
  )
  const seen = [...files, backup].filter(
    (file) =>
      statSync(file, { throwIfNoEntry: false })?.isFile() &&
      readFileSync(file).includes(plantedKey),
  )
  return seen.map((file) => `the key is in ${file}`)
}

const textOf = ({
  inputTokens,
  outputTokens,
  cachedTokens,
}: Record<'inputTokens' | 'outputTokens' | 'cachedTokens', number>) =>
  `${inputTokens}/${outputTokens}/${cachedTokens}`

async function say(scene: Scene, content: string): Promise<void> {
  const body = { projectId: scene.projectId, toAgentId: agentId, content }
  await eventually(
    'a message',
    async () => (await scene.client.post('/api/chat', { body })) && true,
  )
}

async function killed(scene: Scene, victim: Victim): Promise<void> {
  if (victim !== 'agent') return scene.kill(victim)
  const folderId = await folderIdOf(scene.data)
  for (const { pid, mark } of await machine.list())
    if (mark?.folderId === folderId) process.kill(pid, 'SIGKILL')
}

interface Row {
  readonly requests: number
  readonly finished: number
  readonly tokens: string
}

/** What is stored by model, when every request that arrived is there, and the spool was told. */
async function settled(scene: Scene, arrived: number): Promise<ReadonlyMap<string, Row>> {
  const read = () =>
    scene.rows(
      'select model, requests, finished, input_tokens, output_tokens, cached_tokens from model_usage where ? is not null',
    )
  await eventually(
    'every request',
    async () => read().length >= arrived || undefined,
    10_000,
  ).catch(() => {})
  return new Map(
    read().map((row) => [
      String(row['model']),
      {
        requests: Number(row['requests']),
        finished: Number(row['finished']),
        tokens: `${row['input_tokens']}/${row['output_tokens']}/${row['cached_tokens']}`,
      },
    ]),
  )
}
