/**
 * A coordinator takes a launch whose turn has come (CO4): it gets the particulars and a token made at this moment, of which only the
 * hash is kept. Looks once more whether the work is still there; if not, the launch is withdrawn. Taken again, because the answer
 * was lost, it gets another token and the first is dead.
 */
import { detectWork } from '../domain/agent-session/work-detection.ts'
import { Refusal } from '../domain/errors.ts'
import { hashSecret } from '../platform/secrets.ts'
import type { LaunchParticulars } from '../protocol/link.ts'
import { findLaunch, updateLaunchToken } from '../store/queries/launches.ts'
import { selectProject } from '../store/queries/projects.ts'
import { defineUseCase } from '../store/store.ts'
import { type InEpoch, inForce } from './coordinator-epoch.ts'
import { launchStreams, moveLaunch } from './launch-record.ts'
import { startableAgent } from './start-facts.ts'
import { workFactsOf } from './work-facts.ts'

type Take = InEpoch & {
  readonly launchId: string
  /** From `find-launch`; it never changes. */
  readonly projectId: string
}

export type TakenLaunch = Omit<LaunchParticulars, 'type'> | { readonly withdrawn: true }

export const takeLaunch = defineUseCase({
  name: 'take-launch',
  answersSecret: true,
  streams: (input: Take) => launchStreams(input),
  run: async (tx, { launchId, ...from }, context): Promise<TakenLaunch> => {
    const { now, random } = context
    await inForce(tx, from)
    const launch = await findLaunch(tx, launchId)
    // Given to another meanwhile: for this one it is withdrawn.
    if (launch?.coordinatorId !== from.coordinatorId || launch.projectId !== from.projectId) return { withdrawn: true }
    if (launch.state === 'ended' || launch.state === 'held' || launch.stopReason !== null) return { withdrawn: true }
    if (launch.state === 'running') throw new Refusal('wrong_state', `The launch ${launchId} runs already`, { launchId })
    const { agentId, projectId } = launch
    const agent = await startableAgent(tx, launch)
    const { purpose } = detectWork(now, await workFactsOf(tx, launch))
    if (!agent || (launch.state === 'waiting' && purpose === 'no_work')) {
      await moveLaunch(tx, launch, { type: 'stop', reason: 'withdrawn' }, context)
      return { withdrawn: true }
    }
    await moveLaunch(tx, launch, { type: 'take' }, context)
    const launchToken = random.secret('launch')
    await tx.write(updateLaunchToken, { id: launchId, hash: hashSecret(launchToken) })
    return {
      launchId,
      agentId,
      projectId,
      protocol: agent.protocol,
      command: agent.command ?? '',
      args: JSON.parse(agent.args),
      env: JSON.parse(agent.env),
      folder: (await tx.first(selectProject, { id: projectId }))?.path ?? null,
      launchToken,
      acp: null,
    }
  },
})
