/** Who a presented secret stands for, by its hash; nobody when it is unknown, expired, revoked or its person is gone. */
import type { Who } from '../domain/credential/who.ts'
import { selectAgentByPasskey } from '../store/queries/agents.ts'
import { findValidCredential } from '../store/queries/credentials.ts'
import { selectLaunchByToken } from '../store/queries/launches.ts'
import { defineQuery, type Reader } from '../store/store.ts'

export const findCredential = defineQuery({
  name: 'find-credential',
  withoutSnapshot: true,
  /** `likely`: the kind it seems to be of, which is looked for first. */
  run: async (reader, { hash, likely }: { hash: string; likely?: string | undefined }, { now }): Promise<Who | undefined> => {
    const places = [
      { kind: 'token', find: () => findValidCredential(reader, hash, now) },
      { kind: 'agent', find: () => agentWithPasskey(reader, hash) },
      { kind: 'launch', find: () => agentOfLaunch(reader, hash) },
    ]
    const first = places.find(({ kind }) => kind === likely)
    for (const { find } of first ? [first, ...places.filter((place) => place !== first)] : places) {
      const who = await find()
      if (who) return who
    }
    return undefined
  },
})

async function agentWithPasskey(reader: Reader, hash: string): Promise<Who | undefined> {
  const agent = await reader.first(selectAgentByPasskey, { hash })
  if (!agent) return undefined
  // A replaced passkey is another credential, so what the old one opened can be told apart.
  const credentialId = `passkey_${hash.slice(0, 16)}`
  return { credentialId, kind: 'agent', id: agent.id, name: agent.name, role: null, scopes: ['agent'], expiresAt: null }
}

/** CO4: dead when the launch is. */
async function agentOfLaunch(reader: Reader, hash: string): Promise<Who | undefined> {
  const row = await reader.first(selectLaunchByToken, { hash })
  if (!row) return undefined
  const launch = { id: row.id, projectId: row.project_id }
  const credentialId = `launch_${row.id}`
  return { credentialId, kind: 'agent', id: row.agent_id, name: row.name, role: null, scopes: ['agent'], expiresAt: null, launch }
}
