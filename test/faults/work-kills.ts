/**
 * Issue "a power cut costs minutes, not the work": the real server is killed with -9 at random
 * points of a scripted piece of work (work/script.ts), right after an answer or while a request is
 * on its way, and started again on the same folder. Then: nothing acknowledged is lost or doubled,
 * every file is whole and soon says what the store says, and a resume answers what the log says.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Client, createClient, ProblemError } from '../../src/client/client.ts'
import { projectStream } from '../../src/domain/stream-name.ts'
import { selectEventsAfter } from '../../src/store/log/event-log.ts'
import { readSqlite } from '../../src/store/sqlite/backup.ts'
import { eventually } from './eventually.ts'
import { addTo, type Findings, newTally, noFindings, type Tally } from './oracle.ts'
import { databaseIn } from './place.ts'
import { type Chance, chance } from './random.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { differingFiles, tornFiles } from './work/saved-files.ts'
import { interrupt, type Model, newModel, resume, type Step, steps } from './work/script.ts'
import { contextIn, contextInLog } from './work/what-the-log-says.ts'

/** The files beside the database are at most a second behind on a machine at rest. */
const followsWithinMs = 20_000

export interface WorkKillOptions {
  readonly build: string
  readonly seed: string
  readonly kills: number
  readonly stopEarly?: boolean
  /** Not by chance, but when a file is half there: for a build that leaves it so. */
  readonly whenTorn?: true
}

export interface WorkKillResult {
  readonly kills: number
  readonly acknowledged: number
  readonly resumed: number
  readonly tally: Tally
}

const timeoutMs = 10_000
const manyEvents = 100_000
/** From a request to the kill, at most: long enough for most to be answered. */
const longestDelayMs = 25
/** The mirror gathers what happens in so long, then writes for a while. */
const gatheredMs = 90
const longestWriteMs = 120

export async function workKills({
  build,
  seed,
  kills,
  stopEarly,
  whenTorn,
}: WorkKillOptions): Promise<WorkKillResult> {
  const data = await mkdtemp(join(tmpdir(), 'holdfast-work-'))
  const author = new Author(seed)
  const result = { kills: 0, acknowledged: 0, resumed: 0, tally: newTally() }
  let server = await startServer(build, data, 0)
  try {
    while (result.kills < kills) {
      const where = `seed ${seed}, kill ${result.kills} (${author.at})`
      const client = await clientOf(server)
      const lost = whenTorn
        ? await author.beginUntilTorn(server, client, data)
        : await author.workUntilKilled(server, client, chance(where))
      result.kills++
      addTo(result.tally, { ...noFindings(), lost, torn: await tornFiles(data) }, where)
      if (stopEarly && result.tally.first) break
      server = await startServer(build, data, 0)
      addTo(result.tally, await author.lookAfterwards(data, await clientOf(server)), where)
      if (stopEarly && result.tally.first) break
    }
    return { ...result, acknowledged: author.acknowledged, resumed: author.resumed }
  } finally {
    server.child.kill('SIGKILL')
    await server.exited
    await rm(data, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function clientOf({ ready }: ServerProcess): Promise<Client> {
  const { url, token } = await ready
  return createClient({ url, token })
}

/** What the server would not do; anything else is a fault of the test. */
function refusalIn(error: unknown): string {
  if (error instanceof ProblemError) return error.message
  throw error
}

/**
 * Works through the script, from wherever it stands; begins another piece of work when one is done.
 */
class Author {
  readonly #seed: string
  #model: Model = newModel()
  #next = 0
  #round = 0
  acknowledged = 0
  resumed = 0

  constructor(seed: string) {
    this.#seed = seed
  }

  get at(): string {
    return this.#step.name
  }

  get #step(): Step {
    return steps[this.#next] as Step
  }

  /** What it would not do although all that it needs was acknowledged. */
  async workUntilKilled(
    { child, exited }: ServerProcess,
    client: Client,
    dice: Chance,
  ): Promise<string[]> {
    const moment = dice.pick(['answered', 'on its way', 'files being written'] as const)
    const kill = (): void => void child.kill('SIGKILL')
    const lost: string[] = []
    for (let left = dice.below(steps.length); left > 0 && lost.length === 0; left--) {
      const refusal = await this.#send(client).then(() => undefined, refusalIn)
      if (refusal !== undefined) lost.push(`${this.at} is refused: ${refusal}`)
    }
    const last = this.#send(client).catch(() => undefined)
    if (moment === 'on its way') setTimeout(kill, dice.below(longestDelayMs))
    await last
    if (moment === 'files being written') setTimeout(kill, gatheredMs + dice.below(longestWriteMs))
    else kill()
    await exited
    return lost
  }

  /** The very first step has its file. */
  async beginUntilTorn(
    { child, exited }: ServerProcess,
    client: Client,
    data: string,
  ): Promise<string[]> {
    await this.#send(client)
    await eventually('half a file', async () =>
      (await tornFiles(data)).length > 0 ? true : undefined,
    )
    child.kill('SIGKILL')
    await exited
    return []
  }

  /** With the same key until it is answered; only then is it the next one's turn. */
  async #send(client: Client): Promise<void> {
    const idempotencyKey = `${this.#seed}/${this.#round}/${this.#next}`
    await this.#step.send({
      client,
      model: this.#model,
      options: { idempotencyKey, retries: 0, timeoutMs },
    })
    this.acknowledged++
    this.#next++
    if (this.#next < steps.length) return
    this.#next = 0
    this.#round++
    this.#model = newModel()
  }

  async lookAfterwards(data: string, client: Client): Promise<Findings> {
    const findings = noFindings()
    // What was on its way when the server died is sent again; afterwards the store holds the model,
    // no more and no less.
    const refusal = await this.#send(client).then(() => undefined, refusalIn)
    if (refusal !== undefined) findings.lost.push(`${this.at} is refused now: ${refusal}`)
    if (refusal !== undefined || this.#model.workSessionId === '') return findings
    await this.#compare(client, findings)
    await this.#resumeOnce(data, client, findings)
    const { projectId, workSessionId } = this.#model
    const params = { projectId, workSessionId }
    const saved = await client.post(
      '/api/projects/{projectId}/sessions/{workSessionId}/checkpoint',
      { params },
    )
    if (!saved.written) findings.torn.push('the files cannot be written')
    findings.torn.push(...(await this.#differing(data)))
    return findings
  }

  /**
   * The checkpoint wrote the files of its own work session; those of the one before follow the log,
   * a moment behind.
   */
  async #differing(data: string): Promise<readonly string[]> {
    const { projectId, workSessionId } = this.#model
    const deadline = performance.now() + followsWithinMs
    for (;;) {
      const differing = await differingFiles(data, projectId)
      const isOwn = differing.some((file) => file.startsWith(workSessionId))
      if (differing.length === 0 || isOwn || performance.now() > deadline) return differing
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async #compare(client: Client, findings: Findings): Promise<void> {
    const { projectId, tasks, approvals, approaches, artifacts, workSessionId } = this.#model
    const params = { projectId }
    const found = {
      tasks: new Map<string, string>(),
      approaches: new Map<string, string>(),
      approvals: new Map<number, string>(),
      artifacts: new Map<string, number>(),
    }
    for await (const task of client.pages('/api/projects/{projectId}/tasks', { params })) {
      found.tasks.set(task.id, `${task.status} ${task.progressPercent}`)
      const isLeft = task.status !== 'completed' && task.status !== 'failed'
      if (isLeft && task['sessionId'] !== workSessionId)
        findings.torn.push(`${task.id} was left behind in ${task['sessionId']}`)
    }
    for await (const each of client.pages('/api/projects/{projectId}/approaches', { params }))
      found.approaches.set(each.id, each.kind)
    for await (const each of client.pages('/api/projects/{projectId}/approvals', { params }))
      found.approvals.set(each.id, each.status)
    const place = { projectId, workSessionId }
    const path = '/api/projects/{projectId}/sessions/{workSessionId}/artifacts'
    for await (const { name, size } of client.pages(path, { params: place }))
      found.artifacts.set(`${workSessionId}/${name}`, size)
    const ours = new Map([...artifacts].filter(([key]) => key.startsWith(workSessionId)))
    for (const [name, expected] of Object.entries({
      tasks,
      approaches,
      approvals,
      artifacts: ours,
    })) {
      const there: ReadonlyMap<unknown, unknown> = found[name as keyof typeof found]
      for (const [key, value] of expected as ReadonlyMap<unknown, unknown>)
        if (there.get(key) !== value)
          findings.lost.push(`${name} ${key} is ${there.get(key)}, acknowledged was ${value}`)
      for (const key of there.keys())
        if (!expected.has(key as never)) findings.doubled.push(`${name} ${key} is one too many`)
    }
  }

  /**
   * Whatever it stands at, it is interrupted and taken up again; the answer must be what the log
   * says.
   */
  async #resumeOnce(data: string, client: Client, findings: Findings): Promise<void> {
    const params = { projectId: this.#model.projectId, workSessionId: this.#model.workSessionId }
    const sending = {
      client,
      model: this.#model,
      options: { idempotencyKey: crypto.randomUUID(), retries: 0 as const, timeoutMs },
    }
    await interrupt.send(sending)
    const stream = projectStream(params.projectId)
    const events = await readSqlite(databaseIn(data), (reader) =>
      reader.all(selectEventsAfter, { stream, after: 0, limit: manyEvents }),
    )
    const expected = contextInLog(events, params.workSessionId)
    const answer = await client.post('/api/projects/{projectId}/sessions/{workSessionId}/resume', {
      params,
    })
    const found = contextIn(answer)
    if (!isDeepStrictEqual(found, expected))
      findings.torn.push(
        `the resume says ${JSON.stringify(found)}, the log ${JSON.stringify(expected)}`,
      )
    this.#model.workSessionId = answer.session.id
    this.resumed++
    // What was left to do has come along.
    await this.#compare(client, findings)
    // The script's own interruption was perhaps the one that has just been taken up.
    if (this.#step === resume) this.#next++
  }
}
