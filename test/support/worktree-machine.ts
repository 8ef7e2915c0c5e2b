/**
 * A machine with real worktrees behind a real server: agents are played over the link, so that none
 * has to be started, but their trees are made by our own hands in a real repository, and what is
 * asked about them is answered by what a coordinator answers with.
 */
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { CoordinatorRequests } from '../../src/coordinator/coordinator-requests.ts'
import { FileStates } from '../../src/coordinator/file-states/file-states.ts'
import type { NewFact } from '../../src/coordinator/spool.ts'
import { answerRequest } from '../../src/coordinator/worktrees/answer-request.ts'
import { makeWorkspace, type Workspace } from '../../src/coordinator/worktrees/make-workspace.ts'
import { Occupancy } from '../../src/coordinator/worktrees/occupancy.ts'
import { detailFields } from '../../src/domain/notices.ts'
import { createLogger } from '../../src/platform/log/logger.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import { type Said, started } from '../services/processes/launch-pad.ts'
import type { SocketClient } from './feed-clients.ts'
import { at, makeRepository, type TestRepository, testGit } from './git-repository.ts'
import { type Console, type InSession, type Machine, openConsole, readyAgent } from './relay.ts'
import type { Answer, Ask, TestServerOptions } from './server.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface MadeTree {
  readonly id: string
  readonly top: string
  readonly branch: string
  readonly tree: TestRepository
  readonly launchId: string
}

export interface WorktreeRoom extends Console {
  readonly project: TestRepository
  readonly machine1: Machine
  readonly client1: SocketClient
  readonly inside: InSession
  readonly occupancy: Occupancy
  /** An agent in this role, with its worktree in the register. */
  work(role: string, userSession?: InSession): Promise<MadeTree>
  /** Requests a route below the project's worktrees. */
  api(path: string, ask?: Ask): Promise<Answer>
  /** From now on questions are heard and not answered. */
  fallSilent(): void
}

export async function openWorktreeRoom(
  project = makeRepository(),
  options: TestServerOptions = {},
): Promise<WorktreeRoom> {
  const room = await openConsole(options)
  const { server, projectId } = room
  await server.ask(`/api/projects/${projectId}`, {
    method: 'PATCH',
    body: { path: project.folder },
  })
  const worktreesFolder = realpathSync(temporaryFolder())
  const git = testGit()
  const occupancy = new Occupancy()
  const fileStates = new FileStates(git)
  const machine1 = await room.machine()
  let isSilent = false
  const questions = new CoordinatorRequests({
    answer: (ask) =>
      answerRequest({ git, occupancy, fileStates, worktreesFolder, clock: systemClock }, ask),
    report: (fact: NewFact) => void machine1.tell(fact as Said),
    logger: createLogger({ level: 'silent', format: 'json' }),
  })
  machine1.socket.webSocket.on('message', (data) => {
    const { type, event } = JSON.parse(String(data))
    if (type === 'event' && event.type === 'question-asked' && !isSilent)
      questions.handle(event.data)
  })
  const client1 = await room.client()
  const inside = await room.created(client1)
  const api = (path: string, ask?: Ask): Promise<Answer> =>
    server.ask(`/api/projects/${projectId}/worktrees${path}`, ask)
  return {
    ...room,
    project,
    machine1,
    client1,
    inside,
    occupancy,
    api,
    fallSilent() {
      isSilent = true
    },
    async work(role, userSession = inside) {
      const short = userSession.sessionId.replaceAll('-', '').slice(-8)
      client1.send({ type: 'agent:spawn', ...userSession, role })
      const { launchId } = await machine1.order('launch-begun')
      const root = join(worktreesFolder, projectId, short)
      const wanted = {
        projectFolder: project.folder,
        root,
        workspace: role,
        userSessionShort: short,
        role,
      }
      await makeRoot(root)
      const made = await makeWorkspace(git, wanted)
      await machine1.tell(madeFact(launchId, made), started(launchId), readyAgent(launchId))
      const { json } = await api(`?role=${encodeURIComponent(role)}`)
      const top = made.kind === 'worktree' ? made.top : made.folder
      return {
        id: json.items[0].id,
        top,
        branch: made.kind === 'worktree' ? made.branch : '',
        tree: at(top),
        launchId,
      }
    },
  }
}

async function makeRoot(root: string): Promise<void> {
  const { mkdir } = await import('node:fs/promises')
  await mkdir(root, { recursive: true })
}

const madeFact = (launchId: string, made: Workspace): Said => ({
  type: 'workspace-made',
  launchId,
  kind: made.kind,
  folder: made.folder,
  top: made.kind === 'worktree' ? made.top : made.folder,
  branch: made.kind === 'worktree' ? made.branch : null,
  baseBranch: made.kind === 'worktree' ? made.baseBranch : null,
  ...(made.kind === 'worktree' ? { note: null } : detailFields('note', made.why)),
  setUp: null,
})
