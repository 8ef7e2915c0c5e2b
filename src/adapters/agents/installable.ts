/** The catalogue of agents that can be installed: those that are known, then the registry's. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { KnownAgent } from '../../protocol/agents/known-agent.ts'
import { knownAgents } from '../../protocol/agents/known-agents.ts'
import { programFolder } from './agent-folders.ts'
import { installOf, programOfPackage, registryAgents } from './registry.ts'

export interface InstallableAgent extends Pick<KnownAgent, 'id' | 'name' | 'install'> {
  readonly press: KnownAgent['signIn']['press']
  /** What to type to sign in. */
  readonly signIn: string
  /** Whether what npm has put into the folder can be started. */
  readonly hasProgram: (folder: string) => boolean
}

const isThere = (folder: string, program: string | undefined): boolean =>
  program !== undefined && existsSync(join(programFolder(folder), program))

const fromKnown = knownAgents.map(
  ({ id, name, install, signIn, acp, pulls }): InstallableAgent => ({
    id,
    name,
    install,
    press: signIn.press,
    signIn: signIn.command,
    hasProgram: (folder) => isThere(folder, acp?.program) || isThere(folder, pulls?.program),
  }),
)

const fromRegistry = registryAgents.flatMap((agent): InstallableAgent[] => {
  const { id, name, npm } = agent
  const install = installOf(agent)
  if (!install) return []
  const hasProgram = (folder: string): boolean =>
    npm !== null && isThere(folder, programOfPackage(folder, npm.package))
  return [{ id, name, install, press: null, signIn: id, hasProgram }]
})

export const installable: readonly InstallableAgent[] = [...fromKnown, ...fromRegistry]
