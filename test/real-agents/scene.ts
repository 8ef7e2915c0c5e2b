/** A coordinator with real agents: their model follows a script, their server is a stand-in, a person answers what they ask. */
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { LinkFact } from '../../src/protocol/processes/link.ts'
import type { AcpParticulars } from '../../src/protocol/turns/link.ts'
import { startCoordinator, startLinkServer } from '../support/coordinator.ts'
import { makeRepository, type TestRepository } from '../support/git-repository.ts'
import type { LinkServer } from '../support/link-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { entryOf } from './installed.ts'
import { type ScriptedModel, startModel } from './model/scripted-model.ts'
import type { Recipe } from './recipes.ts'
import { makeToolDoor, type ToolDoor } from './tool-door.ts'

/** One of them loads a session in another minute only. */
const patienceMs = 150_000

type Fact<Type extends LinkFact['type']> = Extract<LinkFact, { type: Type }>

export interface Scene {
  readonly server: LinkServer
  readonly model: ScriptedModel
  readonly door: ToolDoor
  readonly project: TestRepository
  spawn(role: string, program: string, recipe: Recipe, load?: Fact<'agent-ready'>): RealAgent
}

export class RealAgent {
  readonly launchId: string
  readonly #server: LinkServer
  #turns = 0

  constructor(server: LinkServer, launchId: string) {
    this.#server = server
    this.launchId = launchId
  }

  /** Fails at once when it failed instead. */
  async ready(): Promise<Fact<'agent-ready'>> {
    const facts = (type: LinkFact['type']): LinkFact[] => this.#server.factsOf(this.launchId, type)
    await this.#server.until(() => facts('agent-ready').length + facts('agent-failed').length > 0)
    const [failed] = facts('agent-failed')
    if (failed?.type === 'agent-failed') throw new Error(`It failed in ${failed.step}: ${failed.error}`)
    return facts('agent-ready')[0] as Fact<'agent-ready'>
  }

  /** One turn; what it asks meanwhile is answered by this kind of option. `whenItSpeaks` is called at the first word. */
  async say(text: string, answer: 'allow' | 'deny' = 'allow', whenItSpeaks?: (turnId: string) => void) {
    const server = this.#server
    const turnId = `${this.launchId}/${++this.#turns}`
    const about = server.facts.length
    const since = (): LinkFact[] => server.facts.slice(about).filter((fact) => 'turnId' in fact && fact.turnId === turnId)
    const asked = (): Fact<'permission-asked'>[] => since().filter((fact) => fact.type === 'permission-asked')
    const said = (): string =>
      since()
        .map((fact) => (fact.type === 'turn-update' && fact.update.kind === 'text' ? fact.update.text : ''))
        .join('')
    server.orderTurn(this.launchId, turnId, text)
    let settled = 0
    let hasSpoken = false
    await server.until(() => {
      for (const { askId, request } of asked().slice(settled)) {
        settled++
        const kind = answer === 'allow' ? 'allow_once' : 'reject_once'
        const option = request.options.find((each) => each.kind === kind)
        server.settle({ launchId: this.launchId, askId, optionId: option?.optionId ?? null })
      }
      if (!hasSpoken && said() !== '') {
        hasSpoken = true
        whenItSpeaks?.(turnId)
      }
      return since().some(({ type }) => type === 'turn-ended') || this.hasExited
    })
    const end = since().find((fact) => fact.type === 'turn-ended')
    const tools = since().flatMap((fact) =>
      fact.type === 'turn-update' && fact.update.kind === 'tool' ? [fact.update.call] : [],
    )
    return { text: said(), outcome: end?.outcome ?? 'unknown', error: end?.error ?? null, questions: asked().length, tools }
  }

  /** As the kernel does when memory runs out: no goodbye. */
  async kill(): Promise<void> {
    const [started] = this.#server.factsOf(this.launchId, 'process-started')
    if (started?.type === 'process-started') process.kill(started.pid, 'SIGKILL')
    await this.#server.until(() => this.hasExited)
  }

  async stop(): Promise<void> {
    this.#server.stop(this.launchId)
    await this.#server.until(() => this.hasExited)
  }

  get hasExited(): boolean {
    return this.#server.factsOf(this.launchId, 'process-exited').length > 0
  }
}

export async function openScene(): Promise<Scene> {
  const model = await startModel()
  onTestFinished(() => model.close())
  const server = await startLinkServer()
  server.patienceMs = patienceMs
  const door = makeToolDoor((bearer) => [...server.particulars.values()].some(({ launchToken }) => launchToken === bearer))
  server.onRequest = (request, response) => door.onRequest(request, response)
  startCoordinator(server)
  await server.until(() => server.hellos.length > 0)
  const project = makeRepository()
  const homes = temporaryFolder()
  return {
    server,
    model,
    door,
    project,
    spawn(role, program, recipe, load) {
      const acp: AcpParticulars = {
        workspace: { userSessionShort: 'a1b2c3d4', role, path: null, setUp: null },
        loadAcpSessionId: load?.acpSessionId ?? null,
        lastOpenedAt: load ? new Date().toISOString() : null,
        startWithinMs: 60_000,
        turnWithinMs: 60_000,
      }
      const entry = entryOf(program, recipe, join(homes, role), model.url)
      return new RealAgent(server, server.order({ ...entry, agentId: role, folder: project.folder, acp }))
    },
  }
}
